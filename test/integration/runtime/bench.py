"""Steps on request: answers are JSON lines, timed steps train, wrong requests are told.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs
"""
import json
import math
import subprocess
import sys

from harness import contains, expect, run

fake = f"{sys.argv[1]}/fake_f32"


def answers(program, requests, *options):
    """What a program says to some requests, an object a line."""
    done = subprocess.run([program, "--task", "rule", "--bench", *options], input=requests, capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


memory, first, profile, last, after = answers(fake, "memory\ntime 20\nprofile 3\ntime 1\nmemory\n")
expect(memory["planned"] == memory["measured"] == sum(memory["arenas"].values()), "planned, measured and arenas differ")
expect(after["measured"] == memory["planned"], "steps took more than was planned")
expect(memory["resident"] > memory["planned"], "a process cannot be smaller than its arenas")
expect(len(first["seconds"]) == len(first["cpu_seconds"]) == 20 and min(first["seconds"]) > 0, "one time per step")
expect(last["loss"] < first["loss"] < 3.5, "the steps do not train")
expect(abs(sum(profile["groups"].values()) - profile["seconds"]) < 1e-6, "groups do not add up to the step")
expect({"matmuls", "rowwise", "optimizer", "unattributed"} <= set(profile["groups"]), "groups are missing")
expect({kernel["name"]: kernel["calls"] for kernel in profile["kernels"]}["adamw"] == 1, "calls per step")

# Moments that hardly fade: 1 - beta, of which f32 has a digit, is the same in the moment and in its bias correction.
slow = [answers(f"{sys.argv[1]}/{program}", "time 20\n", "--beta2", "0.9999999", "--lr", "0.01")[0]["loss"]
        for program in ("fake_f32", "fake_f64")]  # fmt: skip
expect(math.isclose(*slow, rel_tol=1e-4), f"f32 and f64 take other steps: {slow}")


def of_two_parts(*options):
    """What two virtual ranks take and compute in a step."""
    memory, step = answers(fake, "memory\ntime 1\n", "--virtual-ranks", "2", *options)
    expect(memory["planned"] == sum(memory["arenas"].values()) >= memory["measured"], f"planned with {options}: {memory}")
    return memory, step["loss"]


alone, loss = of_two_parts()
expect(alone["planned"] == alone["measured"], f"sums of virtual ranks are planned, and not measured: {alone}")
expect(of_two_parts("--ranks", "2")[1] == loss, "a step has another loss on two ranks")

for request in ("time", "time 0", "time x", "time 1 2", "hurry"):
    result = subprocess.run([fake, "--task", "rule", "--bench"], input=request, capture_output=True, text=True)
    expect(result.returncode == 1, f"'{request}' is accepted")
    contains(result.stderr, f"but got '{request}'")
contains(run(fake, "--task", "rule", "--bench", "--profile", status=1), "--bench must not be given together")
