"""Kills at random moments, resumes, and compares the bits with those of a run that was left alone.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs/fake_f32 %t
"""
import os
import random
import shutil
import subprocess
import sys
import time

from harness import digest, expect, run

KILLS, SEED, STEPS = 100, 20240711, 60
program, folder = sys.argv[1], sys.argv[2]
options = ["--task", "rule", "--steps", STEPS, "--save-every", 5, "--keep", 2, "--eval-every", 10, "--threads", 1,
           "--eval-batches", 1, "--task-set", "delay_us=500", "--quiet", "--accumulate", 2]

shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
started = time.monotonic()
run(program, *options, "--out", f"{folder}/alone")
duration = time.monotonic() - started
expected = digest(f"{folder}/alone", STEPS)

# Most attempts are killed; each gets a little further, as checkpoints are frequent.
draw = random.Random(SEED)
kills = runs = 0
command = [program, *map(str, options), "--resume", "--out", f"{folder}/killed"]
while kills < KILLS:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, errors = process.communicate(timeout=draw.uniform(0.02, 0.8) * duration)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        kills += 1
        continue
    expect(process.returncode == 0, f"resume after {kills} kills (seed {SEED}): {errors}")
    expect("warning" not in errors, f"after {kills} kills (seed {SEED}): {errors}")
    expect(digest(f"{folder}/killed", STEPS) == expected, f"bits differ after {kills} kills (seed {SEED})")
    runs += 1
    shutil.rmtree(f"{folder}/killed")
run(program, *options, "--resume", "--out", f"{folder}/killed")
expect(digest(f"{folder}/killed", STEPS) == expected, f"bits differ after {kills} kills (seed {SEED})")
print(f"{kills} kills over {runs + 1} runs, seed {SEED}: 0 differences in {time.monotonic() - started:.0f} s")
