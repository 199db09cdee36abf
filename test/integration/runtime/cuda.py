"""Programs for CUDA where they cannot run: one clear message, and nothing left behind. A GPU is not needed.

REQUIRES: runtime
RUN: %python3 %s %build %t
"""
import os
import shutil
import subprocess
import sys

from harness import contains, expect, run

build, folder = sys.argv[1], sys.argv[2]
programs, cuda = f"{build}/test/programs", f"{build}/test/programs/fake_cuda"
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
options = ["--task", "rule", "--steps", 2, "--out", f"{folder}/run"]


def refusal(program, *arguments, environment=None):
    """What a program says that must end at once: one line."""
    told = run(program, *arguments, status=1, environment=environment)
    expect(told.startswith("error: ") and told.count("\n") == 1, f"not one message: {told}")
    expect(not os.path.exists(f"{folder}/run"), "a run directory was begun")
    return told


# The program is for another device than the one asked for.
contains(refusal(cuda, *options, "--device", "cpu"),
         "the device must be one that the model was compiled for, 'cuda', but got 'cpu'; compile it again: stretto compile "
         "SPEC --target=cpu")
contains(refusal(f"{programs}/fake_f32", *options, "--device", "cuda"), "compile SPEC --target=cuda")

# The library that knows CUDA is missing, or is none.
os.makedirs(f"{folder}/lib")
shutil.copy(f"{build}/lib/libstretto_runtime.so", f"{folder}/lib")
elsewhere = {"LD_LIBRARY_PATH": f"{folder}/lib"}
contains(refusal(cuda, *options, environment=elsewhere),
         f"a program for CUDA needs '{folder}/lib/libstretto_cuda.so', but there is no such file")
with open(f"{folder}/lib/libstretto_cuda.so", "w", encoding="utf-8") as file:
    file.write("no library")
contains(refusal(cuda, *options, environment=elsewhere), f"needs '{folder}/lib/libstretto_cuda.so', but it cannot be loaded: ")

# No driver or no GPU; where there is one, the fake program has no code for it.
has_driver = subprocess.run(["sh", "-c", "ldconfig -p | grep -q libcuda.so.1"], check=False).returncode == 0
if os.path.exists(f"{build}/lib/libstretto_cuda.so") and not has_driver:
    contains(refusal(cuda, *options),
             "the model was compiled for CUDA and needs an NVIDIA GPU, but this machine has no NVIDIA driver; a program for "
             "the CPU is made by: stretto compile SPEC --target=cpu")
    refusal(cuda, *options, "--bench")

# A program for the CPU works where the library is missing, and with a damaged one.
run(f"{programs}/fake_f32", *options, "--quiet", environment=elsewhere)
