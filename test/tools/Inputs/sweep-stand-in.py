#!/usr/bin/env python3
"""Stands in for `stretto` in tests of `stretto sweep`.

`program`: says that it makes one, with a remark where one is set; fails where dim=0 is. `train`: takes STEP_SECONDS for each step, writes metrics and
the step into ckpt/latest, goes on from there with --resume; ends early with a checkpoint on SIGINT or SIGTERM. The score is
the step in percent of all steps, times the learning rate in thousandths, at most 100; twice that without a Canon. Seed 13
fails where the file named by LUCK is missing. Each call adds a line to calls.txt in the run directory. MEET=N: a run waits
until N runs of the sweep have begun."""
import json
import os
import signal
import sys
import time
from pathlib import Path

command, arguments = sys.argv[1], sys.argv[2:]
flags = [word for word in arguments if word == "--resume"]
words = [word for word in arguments if word not in flags]
assert words[0].endswith(".stretto"), words
options, settings = {}, {}
for name, value in zip(words[1::2], words[2::2]):
    if name == "--set":
        settings.update([value.split("=", 1)])
    else:
        options[name] = value
if settings.get("dim") == "0":
    print("error: dim must be at least 1, but got 0", file=sys.stderr)
    sys.exit(3)
if command == "program":
    if "remark" in settings:
        print("warning: a remark")
    print("made a program for", settings)
    sys.exit(0)
assert command == "train"
out, steps = options["--out"], int(options["--steps"])
os.makedirs(out + "/ckpt", exist_ok=True)
with open(out + "/calls.txt", "a", encoding="utf-8") as file:
    print(*sys.argv[1:], file=file)
if options["--seed"] == "13" and not os.path.exists(os.environ.get("LUCK", "")):
    print("step 1/4", flush=True)
    print("error: out of luck", file=sys.stderr)
    sys.exit(1)
with open(out + "/run.toml", "w", encoding="utf-8") as file:
    print(f"[settings]\nsteps = {steps}\nlr = {options['--lr']}\nseed = {options['--seed']}", file=file)
step, stop = 0, []
if flags and os.path.exists(out + "/ckpt/latest"):
    with open(out + "/ckpt/latest", encoding="utf-8") as file:
        step = int(file.read())
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, frame: stop.append(number))
end = time.monotonic() + 120
while len(list(Path(out).parent.glob("*/calls.txt"))) < int(os.environ.get("MEET", "0")):
    assert time.monotonic() < end, "the other runs did not begin"
    time.sleep(0.01)
factor = float(options["--lr"]) * 1000 * (2 if settings.get("canon_at") == "{}" else 1)
with open(out + "/metrics.jsonl", "a", encoding="utf-8") as file:
    while step < steps and not stop:
        time.sleep(float(os.environ.get("STEP_SECONDS", "0")))
        step += 1
        print(json.dumps({"step": step, "loss": 2.0}), file=file, flush=True)
    if step == steps:
        score = [min(100, round(100 * factor * step / steps)), 100]
        print(json.dumps({"step": step, "eval_loss": 1.5, "scores": {"accuracy": score}}), file=file)
with open(out + "/ckpt/latest", "w", encoding="utf-8") as file:
    print(f"{step:08}", file=file)
sys.exit(128 + stop[0] if stop and step < steps else 0)
