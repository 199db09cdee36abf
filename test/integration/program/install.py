"""An installed tree compiles and trains: libraries, models and `std` are found from where the programs lie.

REQUIRES: compiler, runtime
RUN: %python3 %s %build %t
"""
import os
import subprocess
import sys

from programs import TASK, contains, empty, expect

build, folder = sys.argv[1], empty(sys.argv[2])
installed = subprocess.run(["cmake", "--install", build, "--prefix", f"{folder}/first"], capture_output=True, text=True)
expect(installed.returncode == 0, installed.stderr)
os.rename(f"{folder}/first", f"{folder}/moved")  # nothing may remember the prefix
stretto = f"{folder}/moved/bin/stretto"
with open(f"{folder}/own.stretto", "w", encoding="utf-8") as file:
    file.write("""import "std/mlp.stretto"
model own(vocab: int, dim = 16) {
  x = embed(tokens, vocab, dim)
  x = x + linear(rms_norm(x), dim)
  return linear(x, vocab)
}
""")
environment = {"PATH": "/usr/bin:/bin", "STRETTO_CACHE": f"{folder}/cache", "HOME": folder}


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    expect(result.returncode == 0, f"{command}: {result.stdout}{result.stderr}")
    return result.stdout


shape = [*TASK, "--batch", 2, "--length", 64]
for spec in (f"{folder}/own.stretto", f"{folder}/moved/share/stretto/models/hybrid.stretto"):
    small = ["--set", "dim=16"] if "own" in spec else ["--set", "dim=32"]
    run(stretto, "compile", spec, *shape, *small, "-o", f"{folder}/program")
    linked = subprocess.run(["ldd", f"{folder}/program"], capture_output=True, text=True).stdout
    expect(f"{folder}/moved/" in linked and f"{build}/lib" not in linked, f"linked against the build folder: {linked}")
contains(run(stretto, "train", f"{folder}/own.stretto", *shape, "--steps", 2, "--threads", 1, "--out", f"{folder}/run",
             "--progress", "plain"), "done: 2 steps")
contains(run(stretto, "eval", f"{folder}/run", "--threads", 1, "--progress", "plain"), "evaluation: loss")
contains(run(stretto, "--version"), "stretto-compile")
