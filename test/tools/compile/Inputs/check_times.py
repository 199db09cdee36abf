"""Compares the step times of `check --json` on one H200 with those of bench/gpu/estimate.py, which follows the machine code of
each launch: check_times.py <estimates.json> <step> <check.json> ..."""
import json
import sys

estimates = {step["name"]: step["seconds"] for step in json.load(open(sys.argv[1]))["steps"]}
for name, path in zip(sys.argv[2::2], sys.argv[3::2]):
    step = json.load(open(path))["step"]
    ratio = step["overlap"][0]["seconds"] / estimates[name]
    assert 0.93 < ratio < 1.07, f"{name}: {ratio:.3f} of {1e3 * estimates[name]:.2f} ms"
    # The backward has twice the matmuls of the forward, four times the time of its attention, and what is recomputed.
    assert 2 < step["backward_seconds"] / step["forward_seconds"] < 3.5, step
