"""A run directory that nobody names is a new one each time; one that is named must be new.

REQUIRES: runtime
RUN: %python3 %s %build %t
"""
import os
import shutil
import subprocess
import sys

from harness import contains, expect, run

program, folder = f"{sys.argv[1]}/test/programs/fake_f32", sys.argv[2]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
options = ["--task", "rule", "--steps", "2", "--eval-batches", "0"]

told = [run(program, *options) for _ in range(3)]
names = sorted(os.listdir("runs"))
expect(len(names) == 3 and names[1:] == [f"{names[0]}-2", f"{names[0]}-3"], f"{names}")
for name, text in zip(names, told):
    contains(text, f"everything in runs/{name}\n")
    expect(os.path.exists(f"runs/{name}/ckpt/00000002"), f"runs/{name} has no checkpoint")

# Several at once have one each.
both = [subprocess.Popen([program, *options, "--seed", "1"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) for _ in range(3)]
expect([process.wait() for process in both] == [0, 0, 0], "runs at the same time are in each other's way")
expect(len(os.listdir("runs")) == 6, f"{sorted(os.listdir('runs'))}")

contains(run(program, *options, "--out", f"runs/{names[0]}", status=1), "must be new, but has checkpoints")
