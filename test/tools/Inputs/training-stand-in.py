#!/usr/bin/env python3
"""Stands in for `stretto` in tests of the demonstration: `stretto train` writes a short metrics.jsonl, in which the
model with Canon layers ends at 80 % and 60 % (k=1, k=2), the other at 20 % and 10 %. TRAINING_FAILS=1: it fails."""
import json
import os
import sys

arguments = sys.argv[1:]
if os.environ.get("TRAINING_FAILS"):
    sys.exit("error: out of luck")
assert arguments[0] == "train" and os.path.basename(arguments[1]) == "llama.stretto"
options = dict(zip(arguments[2::2], arguments[3::2]))
assert options["--task"] == "depo1" and options["--preset"] in ("one-hop", "two-hops")
settings = [b for a, b in zip(arguments[2::2], arguments[3::2]) if a == "--set"]
canon = "canon_at={A, B, C, D}" in settings
assert canon or "canon_at={}" in settings
steps = int(options["--steps"])
last = {"accuracy/k=2": 60 if canon else 10} if options["--preset"] == "two-hops" else {}
last["accuracy/k=1"] = 80 if canon else 20
os.makedirs(options["--out"])
with open(os.path.join(options["--out"], "metrics.jsonl"), "w", encoding="utf-8") as file:
    for step in range(1, steps + 1):
        print(json.dumps({"step": step, "loss": 3 - step / steps, "lr": 0.1}), file=file)
        if step % int(options["--eval-every"]) == 0:
            scores = {name: [value * step // steps, 100] for name, value in last.items()}
            print(json.dumps({"step": step, "eval_loss": 1.5, "scores": scores}), file=file)
print("done")
