"""Whole emulated programs touch no memory in a way that depends on the order of threads: a step of training and one of
evaluation with all checks, where results take over the memory of operands; at sizes at which groups have no chunk, threads
no column and steps rows behind the end of their chunk.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import sys

from programs_cuda import EMULATE, HYBRID, LLAMA, ROOT, TASK, empty, program, train

HELLO = f"{ROOT}/models/hello.stretto"
BF16 = "--dtype=bf16"
# Model, batch, length, sizes, other options.
CASES = [
    (LLAMA, 2, 64, "dim=32 layers=2", ""),
    (LLAMA, 4, 64, "dim=128 layers=1", BF16),
    (LLAMA, 3, 61, "dim=24 layers=2 heads=3", ""),
    (LLAMA, 1, 70, "dim=40 layers=1 heads=2 ffn=52", BF16),
    (LLAMA, 3, 61, "dim=36 layers=1 heads=2", "--fuse=none"),
    (HELLO, 3, 61, "dim=20", ""),
    (HELLO, 2, 64, "dim=64", BF16),
    (HYBRID, 2, 64, "dim=32 layers=4 heads=2", ""),
    (HYBRID, 3, 61, "dim=40 layers=4 heads=2", BF16),
]

folder = empty(sys.argv[1])
for number, (model, batch, length, sizes, more) in enumerate(CASES):
    sets = [word for size in sizes.split() for word in ("--set", size)]
    path = program(model, *TASK, "--batch", batch, "--length", length, *sets, *more.split(), *EMULATE)
    train(path, f"{folder}/{number}", 1, checks="full")
