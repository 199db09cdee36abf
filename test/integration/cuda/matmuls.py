"""Programs of bf16 whose kernels of rows lie in the epilogues of matmuls, emulated: losses and weights as with kernels apart,
also where documents are masked and with linear mixers; the same bits in any order of warps and blocks. Sequences are no
multiple of a tile.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import subprocess
import sys

from programs_cuda import EMULATE, HYBRID, LLAMA, TASK, compare, digest, empty, expect, program, train

folder, STEPS = empty(sys.argv[1]), 10
COMMON = [*TASK, "--batch", 3, "--length", 70, "--set", "dim=32", *EMULATE, "--dtype", "bf16"]
SMALL = ["--set", "layers=2", "--set", "heads=2"]
LINEAR = HYBRID.replace("hybrid", "linear")


def count(model):
    command = ["stretto", "compile", *map(str, model), *map(str, COMMON), "--fuse=always", "--emit=kernels"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.count("kern.matmul kernel")


for name, matmuls, model, *data in (("llama", 7, [LLAMA, *SMALL]),
                                    ("masked", 7, [LLAMA, *SMALL, "--mask-documents"], "--task-set", "n=3"),
                                    ("linear", 7, [LINEAR, *SMALL])):  # fmt: skip
    expect(count(model) == matmuls, f"{name}: {matmuls} matmuls with an epilogue, but there are {count(model)}")
    for fuse in ("always", "rows"):
        train(program(*model, *COMMON, f"--fuse={fuse}"), f"{folder}/{name}-{fuse}", STEPS, *data)
    compare(name, f"{folder}/{name}-always", f"{folder}/{name}-rows", STEPS, loss=5e-4, weight=5e-3)

fused = program(LLAMA, *SMALL, *COMMON, "--fuse=always")
train(fused, f"{folder}/order", STEPS, "--threads", 2, seed=1, checks="full")
expect(digest(f"{folder}/order", STEPS) == digest(f"{folder}/llama-always", STEPS), "other bits in another order")
