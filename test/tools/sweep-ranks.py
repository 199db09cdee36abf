# REQUIRES: runtime
# RUN: %python3 %s %S/Inputs %t
"""A run of several ranks is as many jobs of a sweep."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

inputs, folder = Path(sys.argv[1]), Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)


def sweep(out, expected, *more):
    line = ["stretto-sweep", inputs / "llama.stretto", "--stretto", inputs / "sweep-stand-in.py", "--steps", "5", "--lr", "1e-3",
            "--over", "seed=0,1,2,3", "--out", out, *more]  # fmt: skip
    return subprocess.run(line, capture_output=True, text=True, env={**os.environ, "STEP_SECONDS": "0.05", "MEET": str(expected)})


def most_at_once(out):
    """How many runs went on at the same time, by the first and the last file that each wrote."""
    spans = [((run / "calls.txt").stat().st_mtime, (run / "ckpt/latest").stat().st_mtime) for run in out.glob("seed-*")]
    assert len(spans) == 4
    return max(sum(begin <= at < end for begin, end in spans) for at, _ in spans)


for jobs, ranks, expected in ((5, 2, 2), (4, 4, 1), (4, 1, 4)):
    out = folder / f"{jobs}-{ranks}"
    done = sweep(out, expected, "--jobs", str(jobs), "--ranks", str(ranks))
    assert done.returncode == 0, done.stderr
    first = done.stdout.splitlines()[0]
    assert f"1 program, {expected} at a time" in first and (f" with {ranks} ranks" in first) == (ranks > 1), first
    assert most_at_once(out) == expected, most_at_once(out)
    assert f"--ranks {ranks}" in (out / "seed-0/calls.txt").read_text()
done = sweep(folder / "refused", 1, "--jobs", "2", "--ranks", "3")
assert done.returncode == 2 and not (folder / "refused").exists()
assert "error: --jobs must be at least the --ranks of a run, each of which is a job, but got 2 and 3" in done.stderr, done.stderr
