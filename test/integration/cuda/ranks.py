"""Two ranks train programs of bf16 whose kernels of rows lie in the epilogues of matmuls, emulated: each of two micro-batches is a virtual
rank, and losses, weights and moments have the bits of one rank, also in another order of warps.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import os
import subprocess
import sys

from programs_cuda import EMULATE, HYBRID, LLAMA, SHORT, TASK, empty, expect, program, run
from programs import digest_of_ranks

folder, STEPS = empty(sys.argv[1]), 6
FUSED = [*TASK, "--batch", 2, "--length", 70, "--set", "dim=32", "--set", "layers=2", "--set", "heads=2", *EMULATE, "--dtype", "bf16",
         "--fuse=always", "--bucket-bytes", "64K"]  # fmt: skip
LINEAR = HYBRID.replace("hybrid", "linear")


def digest(name, path, ranks, seed=0):
    out = os.path.join(folder, f"{name}-{ranks}-{seed}")
    run(path, *SHORT, "--threads", 1, "--steps", STEPS, "--save-every", STEPS, "--virtual-ranks", 2, "--ranks", ranks, "--out", out,
        environment={"STRETTO_EMULATOR_SEED": str(seed)})  # fmt: skip
    return digest_of_ranks(out, STEPS)


for name, spec in (("llama", LLAMA), ("linear", LINEAR)):
    model = [spec, *FUSED]
    kernels = subprocess.run(["stretto", "compile", *map(str, model), "--emit=fused"], check=True, capture_output=True, text=True).stdout
    expect(kernels.count("kern.matmul kernel") >= 7, f"{name}: kernels of rows stay apart")
    path = program(*model)
    alone = digest(name, path, 1)
    expect(digest(name, path, 2) == alone, f"{name}: two ranks give other bits than one")
    expect(digest(name, path, 2, seed=1) == alone, f"{name}: two ranks give other bits in another order of warps")
