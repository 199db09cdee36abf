"""A compiled program gives the same bits with any number of threads, on the device that runs everything late, after
kills at random moments, and after a stop from the keyboard.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from programs import LLAMA, TASK, contains, digest, empty, expect, program, read, run

KILLS, SEED, STEPS = 20, 20240711, 40
folder = empty(sys.argv[1])
trained = program(LLAMA, *TASK, "--batch", 2, "--length", 64, "--set", "dim=64", "--set", "layers=2")
options = [*TASK, "--steps", STEPS, "--save-every", 4, "--keep", 2, "--eval-every", 10, "--eval-batches", 1,
           "--accumulate", 2, "--quiet"]

digests = {}
for name, more in {"one": ["--threads", 1], "two": ["--threads", 2], "late": ["--device", "null-async"]}.items():
    run(trained, *options, *more, "--out", f"{folder}/{name}")
    digests[name] = digest(f"{folder}/{name}", STEPS)
expect(len(set(digests.values())) == 1, f"bits depend on threads or device: {digests}")
expected = digests["one"]

# How long an attempt takes, with what it needs to start.
options += ["--threads", 1]
started = time.monotonic()
run(trained, *options, "--out", f"{folder}/timed")
duration = time.monotonic() - started

draw = random.Random(SEED)
kills = finished = 0
command = [trained, *map(str, options), "--resume", "--out", f"{folder}/killed"]
started = time.monotonic()
while kills < KILLS:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, errors = process.communicate(timeout=draw.uniform(0.05, 0.9) * duration)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        kills += 1
        continue
    expect(process.returncode == 0 and "warning" not in errors, f"after {kills} kills (seed {SEED}): {errors}")
    expect(digest(f"{folder}/killed", STEPS) == expected, f"bits differ after {kills} kills (seed {SEED})")
    finished += 1
    shutil.rmtree(f"{folder}/killed")
run(*command)
expect(digest(f"{folder}/killed", STEPS) == expected, f"bits differ after {kills} kills (seed {SEED})")
print(f"{kills} kills over {finished + 1} runs, seed {SEED}: 0 differences in {time.monotonic() - started:.0f} s")



def interrupted():
    """Ctrl-C after three steps: what the run printed, and its exit status."""
    shutil.rmtree(f"{folder}/stopped", ignore_errors=True)
    process = subprocess.Popen([trained, *loud, "--progress", "plain", "--log-every", "1", "--out", f"{folder}/stopped"],
                               stdout=subprocess.PIPE, text=True)
    while "step 3/" not in (line := process.stdout.readline()):
        expect(line, "the program ended before step 3")
    process.send_signal(signal.SIGINT)
    return process.communicate()[0], process.returncode


# Ctrl-C: the step is finished and saved, and the message is the command that goes on. The signal may come too late, where steps
# are short and this test has to wait for its turn.
loud = [word for word in map(str, options) if word != "--quiet"]
output, status = next((said for said in (interrupted() for _ in range(20)) if said[1] != 0), ("", 0))
expect(status == 128 + signal.SIGINT, f"exit status after SIGINT: {status}")
go_on = f"{folder}/stopped/build/program --resume --out {folder}/stopped"
contains(output, f"go on with: {go_on}\n")
last = max(int(name) for name in os.listdir(f"{folder}/stopped/ckpt") if name.isdigit())
expect(3 <= last < STEPS, f"the last checkpoint after Ctrl-C is of step {last}")
run(*go_on.split(), "--threads", 1, "--quiet")
expect(digest(f"{folder}/stopped", STEPS) == expected, "bits differ after Ctrl-C")
expect(read(f"{folder}/stopped/metrics.jsonl") == read(f"{folder}/one/metrics.jsonl"), "metrics differ after Ctrl-C")
