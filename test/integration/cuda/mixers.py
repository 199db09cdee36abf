"""Linear mixers in emulated CUDA programs: losses and weights after some steps as on the CPU, in f32, f64 and bf16, with masked
documents or without; the same bits in any order of warps and blocks. Sequences have two chunks.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import os
import sys

from programs_cuda import EMULATE, ROOT, TASK, compare, digest, empty, expect, program, train
from whole import every

folder, STEPS = empty(sys.argv[1]), 3
SIZES = [*TASK, "--batch", 2, "--length", 70]
MASKED = ["--mask-documents"]
SHORT_DOCUMENTS = ["--task-set", "n=3"]  # several to a sequence
# Model, its sizes, options; each kind of decay and of erasing.
CASES = [
    ("gla", "dim=32 layers=1 heads=2", []),
    ("gdn", "dim=32 layers=1 heads=2", MASKED),
    ("mamba2", "dim=16 layers=2 heads=2 state=12", []),
    ("linear", "dim=24 layers=1 heads=2 mixer=kimi_delta", MASKED),
    ("linear", "dim=24 layers=2 heads=2 mixer=delta period=2", MASKED),
    ("linear", "dim=32 layers=1 heads=2 mixer=retention", MASKED),
    ("linear", "dim=20 layers=2 heads=2 mixer=rg_lru period=2", MASKED),
    ("linear", "dim=16 layers=1 heads=2 mixer=selective", []),
]
# Differences of losses and weights: of rounding alone; in bf16 as for LlamaCanon (training.py).
TOLERANCES = {"f64": (1e-12, 1e-11), "f32": (1e-6, 1e-5), "bf16": (5e-4, 5e-3)}


def check(number, model, sizes, options):
    sets = [word for size in sizes.split() for word in ("--set", size)]
    given = [os.path.join(ROOT, "models", f"{model}.stretto"), *SIZES, *sets, *options]
    exact = f"{folder}/{number}-exact"
    train(program(*given, "--dtype", "f64"), exact, STEPS, *SHORT_DOCUMENTS)
    for dtype, tolerances in TOLERANCES.items():
        path, out = program(*given, *EMULATE, "--dtype", dtype), f"{folder}/{number}-{dtype}"
        train(path, out, STEPS, *SHORT_DOCUMENTS)
        compare(f"{model} {sizes} {dtype}", out, exact, STEPS, *tolerances)
    train(path, f"{out}-order", STEPS, *SHORT_DOCUMENTS, "--threads", 2, seed=1, checks="none")
    expect(digest(f"{out}-order", STEPS) == digest(out, STEPS), f"{model} {sizes}: other bits in another order")


for number, case in every(3, enumerate(CASES)):
    check(number, *case)
