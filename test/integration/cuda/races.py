"""Whole emulated programs touch no memory in a way that depends on the order of threads: a step of training and one of
evaluation with all checks, where results take over the memory of operands; at sizes at which groups have no chunk, threads
no column and steps rows behind the end of their chunk.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import sys

from programs_cuda import EMULATE, HYBRID, LLAMA, ROOT, TASK, empty, program, train
from whole import every

HELLO = f"{ROOT}/models/hello.stretto"
BF16 = "--dtype=bf16"
MIXED = f"{ROOT}/models/linear.stretto"
# Model, batch, length, sizes, other options. Mixers: two chunks, the last with few rows.
MIXERS = [
    (f"{ROOT}/models/gla.stretto", 1, 67, "dim=24 layers=1 heads=2", BF16),
    (MIXED, 2, 66, "dim=20 layers=2 heads=1 mixer=delta period=2", "--mask-documents"),
    (f"{ROOT}/models/gdn.stretto", 1, 66, "dim=40 layers=1 heads=2", "--mask-documents"),
    (f"{ROOT}/models/mamba2.stretto", 1, 70, "dim=16 layers=1 heads=2 state=12", BF16),
    (MIXED, 1, 65, "dim=24 layers=1 heads=2 mixer=kimi_delta", "--mask-documents"),
    (MIXED, 1, 66, "dim=32 layers=1 heads=2 mixer=retention", ""),
]
CASES = [
    (LLAMA, 2, 64, "dim=32 layers=2", ""),
    (LLAMA, 4, 64, "dim=128 layers=1", BF16),
    (LLAMA, 3, 61, "dim=24 layers=2 heads=3", ""),
    (LLAMA, 1, 70, "dim=40 layers=1 heads=2 ffn=52", BF16),
    (LLAMA, 3, 61, "dim=36 layers=1 heads=2", "--fuse=none"),
    (HELLO, 3, 61, "dim=20", ""),
    (HELLO, 2, 64, "dim=64", BF16),
    (HELLO, 1, 61, "dim=512 layers=1", "--kernel-schedule=gradients.rowwise*:rows=1,chunk=4,places=4"),
    (HYBRID, 2, 64, "dim=32 layers=4 heads=2", ""),
    (HYBRID, 3, 61, "dim=40 layers=4 heads=2", BF16),
    *every(2, MIXERS),
]

folder = empty(sys.argv[1])
for number, (model, batch, length, sizes, more) in enumerate(CASES):
    sets = [word for size in sizes.split() for word in ("--set", size)]
    path = program(model, *TASK, "--batch", batch, "--length", length, *sets, *more.split(), *EMULATE)
    train(path, f"{folder}/{number}", 1, checks="full")
