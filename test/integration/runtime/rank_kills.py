"""Ranks are killed at random moments: all of them end within seconds, the launcher starts them again, and the bits are
those of a run of one rank that was left alone.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs/fake_f32 %t
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from harness import children, digest_of_ranks, expect, run

KILLS, WITHIN = int(os.environ.get("STRETTO_KILLS", "50")), float(os.environ.get("STRETTO_KILL_WITHIN", "1"))  # seconds
SEED, STEPS, RANKS, LIMIT = 20261124, 200, 3, 9.0  # seconds, on a machine that is busy and slow; a standstill takes ten
program, folder = sys.argv[1], sys.argv[2]
options = ["--task", "rule", "--steps", STEPS, "--save-every", 5, "--keep", 2, "--eval-every", 50, "--threads", 1,
           "--eval-batches", 2, "--quiet", "--virtual-ranks", RANKS]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
run(program, *options, "--out", f"{folder}/alone")
expected = digest_of_ranks(f"{folder}/alone", STEPS)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


draw = random.Random(SEED)
started, kills, runs, told, slowest = time.monotonic(), 0, 0, 0, 0.0
command = [program, *map(str, options), "--resume", "--ranks", str(RANKS), "--max-restarts", "1000", "--out",
           f"{folder}/killed"]
while kills < KILLS:
    process, before = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True), kills
    while process.poll() is None and kills < KILLS:
        time.sleep(draw.uniform(0.05, WITHIN))
        ranks = children(process)
        if len(ranks) < RANKS:
            continue
        try:
            os.kill(draw.choice(ranks), signal.SIGKILL)
        except ProcessLookupError:  # it was done
            continue
        killed = time.monotonic()
        kills += 1
        while any(map(is_alive, ranks)) and time.monotonic() - killed < 2 * LIMIT:
            time.sleep(0.01)
        slowest = max(slowest, time.monotonic() - killed)
        expect(slowest < LIMIT, f"after {kills} kills (seed {SEED}) ranks are alive {slowest:.1f} s later")
    _, errors = process.communicate()
    expect(process.returncode == 0, f"after {kills} kills (seed {SEED}): {errors[-2000:]}")
    expect(digest_of_ranks(f"{folder}/killed", STEPS) == expected, f"bits differ after {kills} kills (seed {SEED})")
    # One kill may have come when all ranks were done.
    expect("signal 9" in errors or kills - before < 2, f"the rank that was killed must be told of, but got: {errors[-2000:]}")
    runs, told = runs + 1, told + errors.count("signal 9")
    shutil.rmtree(f"{folder}/killed")
expect(told > KILLS / 2, f"of {kills} kills, {told} hit a rank that was there")
left = subprocess.run(["pgrep", "-f", f"{folder}/killed"], capture_output=True, text=True).stdout
expect(not left, f"processes outlive the run: {left}")
print(f"{kills} kills over {runs} runs, seed {SEED}: 0 differences, all gone after {slowest:.2f} s at most, in "
      f"{time.monotonic() - started:.0f} s")
