# RUN: %python3 %s %root
"""What test/gpu/run makes of the summaries of compute-sanitizer."""
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "gpu"))
from checks import Failed
from sanitizer import verdict

GOOD = ["========= ERROR SUMMARY: 0 errors", "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"]
BAD = ["", "========= ERROR SUMMARY: 10 errors", "========= ERROR SUMMARY: 1 error",
       "========= RACECHECK SUMMARY: 20 hazards displayed (20 errors, 0 warnings)",
       f"{GOOD[0]}\n========= ERROR SUMMARY: 3 errors\n{GOOD[0]}"]  # fmt: skip

for text in GOOD:
    assert verdict(text) == text.strip("= "), text
for text in BAD:
    try:
        verdict(text)
    except Failed:
        continue
    raise AssertionError(f"accepted: {text!r}")
