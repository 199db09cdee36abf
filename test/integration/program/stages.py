"""Every file of --dump-ir can be read again as it is, and stretto-opt goes on from it, with the passes its index names,
to what the compiler made.

REQUIRES: compiler
RUN: %python3 %s %t
"""
import os
import re
import shlex
import subprocess
import sys

from programs import LLAMA, empty, expect, read

folder = empty(sys.argv[1])
subprocess.run(["stretto", "compile", LLAMA, "--batch", "2", "--length", "8", "--vocab", "24", "--set", "dim=16",
                "--set", "layers=2", "--cpu=x86-64-v3", f"--dump-ir={folder}", "--emit=llvm",
                "-o", f"{folder}/code"], check=True)
index = read(f"{folder}/index.txt").decode()
files = sorted(name for name in os.listdir(folder) if name.endswith(".mlir"))
lines = re.findall(r"^(\S+\.mlir) (--pass-pipeline=.*)$", index, re.M)
expect([name for name, _ in lines] == files, f"files {files}, but in the index {[name for name, _ in lines]}")
expect(len(files) >= 15, f"only {len(files)} passes changed something")
last = read(f"{folder}/{files[-1]}")


def optimized(name, *options):
    result = subprocess.run(["stretto-opt", f"{folder}/{name}", "--mlir-print-debuginfo", *options], capture_output=True)
    expect(result.returncode == 0, f"{name} {options}: {result.stderr.decode()}")
    return result.stdout


for name, pipeline in lines:
    expect(optimized(name) == read(f"{folder}/{name}"), f"{name} changes when it is read and printed")
    expect(optimized(name, *shlex.split(pipeline)) == last, f"going on from {name} does not lead to {files[-1]}")
print(f"{len(files)} files lead to {files[-1]}")
