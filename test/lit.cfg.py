"""The textual tests: every .mlir, .stretto and .test file below test/, and every .py file that says RUN.

Substitutions and names
  stretto, stretto-opt, stretto-compile, FileCheck, not, split-file    found on the path
  %python     Python with torch and numpy (where the runtime is built)
  %python3    Python without them
  %cxx        a C++ compiler whose programs may hold what ours makes (which may need the sanitizer)
  %root       the source tree         %build   the build folder
  %models     %root/models    %torch     the folder of the torch package (where the runtime is built)

Features: `compiler`, `runtime` (the half is built), `sanitize` (with sanitizers, and `sanitize-address` or `sanitize-thread`), `namespaces` (the user may make networks and names of hosts), `strace` (the user may trace programs), `torch-cuda` (LibTorch has CUDA), `ptxas` (NVIDIA's assembler is found; the wheels beside PyTorch bring it).
STRETTO_TESTS=whole in the environment makes tests of many models take all of them (test/support/whole.py).
STRETTO_ROUNDTRIP=1 in the environment makes every stretto-opt print and parse its result again.
Files that belong to tests but are none lie in folders named Inputs.
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from lit_format import StrettoTest

config.name = "stretto"
config.test_format = StrettoTest()
config.suffixes = [".mlir", ".stretto", ".test", ".py"]
config.excludes = ["Inputs", "unit", "lit.cfg.py", "lit_format.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.stretto_build, "test")

if config.stretto_compiler:
    config.available_features.add("compiler")
if config.stretto_runtime:
    config.available_features.add("runtime")

if config.stretto_runtime and os.path.exists(os.path.join(config.stretto_torch, "lib", "libtorch_cuda.so")):
    config.available_features.add("torch-cuda")

if config.stretto_sanitize:
    config.available_features |= {"sanitize", f"sanitize-{config.stretto_sanitize}"}

if shutil.which("ptxas") or any(
    os.access(os.path.join(folder, "bin", "ptxas"), os.X_OK)
    for folder in ("/usr/local/cuda", os.path.join(os.path.dirname(config.stretto_torch), "triton/backends/nvidia"))
):
    config.available_features.add("ptxas")

probe = ["unshare", "--net", "--uts", "--mount", "ip", "link", "add", "end0", "type", "veth", "peer", "name", "end1"]
if all(map(shutil.which, ("unshare", "nsenter", "ip"))) and not subprocess.run(probe, capture_output=True).returncode:
    config.available_features.add("namespaces")

if shutil.which("strace") and not subprocess.run(["strace", "true"], capture_output=True).returncode:
    config.available_features.add("strace")

roundtrip = " --verify-roundtrip" if os.environ.get("STRETTO_ROUNDTRIP") else ""
checks_addresses = config.stretto_sanitize == "address"
config.substitutions += [
    ("%cxx", "clang++-22 -fsanitize=address" if checks_addresses else "c++"),
    # Not where the name is a part of a path, a word of another name or an argument of `-D`.
    (r"(?<![\w./-])stretto-opt(?![\w.-])", "stretto-opt" + roundtrip),
    ("%python3", sys.executable),
    ("%python", config.stretto_python),
    ("%root", config.stretto_source),
    ("%build", config.stretto_build),
    ("%torch", config.stretto_torch),
    ("%models", os.path.join(config.stretto_source, "models")),
]

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.stretto_build, "bin"), "/usr/lib/llvm-22/bin", os.environ["PATH"]]
)
# Compiled programs of the tests go to a cache of the build folder, never to the user's.
config.environment["STRETTO_CACHE"] = os.path.join(config.stretto_build, "test", "cache")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# Of PyTorch and NumPy, not of our programs: other tests run on the other cores, and teams of OpenMP spin for them.
config.environment["OMP_NUM_THREADS"] = "1"
for name in ("CCACHE_DIR", "HOME", "OMP_NUM_THREADS", "STRETTO_TESTS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
