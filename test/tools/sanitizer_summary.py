# RUN: %python3 %s %root
"""How test/gpu/run asks compute-sanitizer, and what it makes of what that says."""
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "gpu"))
from checks import Failed
from sanitizer import FOUND, filters, verdict

KERNELS = ["evaluate_rowwise1", "evaluate_rowwise1_sum1", "norm_root"]
NONE = "========= ERROR SUMMARY: 0 errors"
HAZARDS = "========= RACECHECK SUMMARY: {0} hazards displayed ({0} errors, 0 warnings)"
READ = "========= Uninitialized __global__ memory read of size 4 bytes\n=========     at {0}+0x90\n========= ERROR SUMMARY: 1 error"
LIBRARY, OURS = READ.format("void cutlass_kernel<int>"), READ.format("norm_root")
GOOD = [("memcheck", 0, NONE), ("racecheck", 0, HAZARDS.format(0)), ("initcheck", 0, NONE), ("initcheck", FOUND, LIBRARY)]
BAD = [("memcheck", 0, ""), ("memcheck", FOUND, NONE), ("memcheck", 1, NONE), ("memcheck", 0, "========= ERROR SUMMARY: 10 errors"),
       ("synccheck", FOUND, LIBRARY), ("racecheck", 0, HAZARDS.format(20)), ("initcheck", FOUND, OURS), ("initcheck", 1, LIBRARY),
       ("initcheck", FOUND, NONE), ("memcheck", 0, f"{NONE}\n{LIBRARY}\n{NONE}")]  # fmt: skip

for tool, status, text in GOOD:
    said = verdict(tool, status, text, KERNELS)
    assert said.startswith(text.splitlines()[-1].strip("= ")), said
for tool, status, text in BAD:
    try:
        verdict(tool, status, text, KERNELS)
    except Failed:
        continue
    raise AssertionError(f"accepted: {tool} with {status}: {text!r}")

assert filters(KERNELS) == ["--kernel-name", "kernel_substring=evaluate_rowwise1", "--kernel-name", "kernel_substring=norm_root"]
