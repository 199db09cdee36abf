# REQUIRES: runtime
# RUN: %python3 %s %S/Inputs %t
"""A sweep that is stopped, or killed, goes on from the checkpoints of its runs."""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

inputs, folder = Path(sys.argv[1]), Path(sys.argv[2])
STEPS, LIMIT = 200, 120  # seconds; ends a test that hangs


def start(out, seconds="0.5"):
    """The sweep as a process: two runs at a time out of three, `seconds` a step."""
    line = ["stretto-sweep", str(inputs / "llama.stretto"), "--stretto", str(inputs / "sweep-stand-in.py"), "--steps", str(STEPS),
            "--lr", "1e-3", "--over", "seed=0,1,2", "--jobs", "2", "--out", str(out)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env=dict(os.environ, STEP_SECONDS=seconds))


def until(condition, what):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"{what} did not come"
        time.sleep(0.01)


def begun(out, count):
    """Waits until so many runs have done a step."""
    until(lambda: sum(path.stat().st_size > 0 for path in out.glob("*/metrics.jsonl")) >= count, "steps of the runs")


def is_free(out):
    """Whether neither a sweep nor a run of one is going on there."""
    with open(out / "lock") as file:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB) is None
        except BlockingIOError:
            return False


def step(out, seed):
    return int((out / f"seed-{seed}/ckpt/latest").read_text())


def goes_on(out):
    """The same line finishes everything; the begun runs do not start again."""
    before = [step(out, seed) for seed in (0, 1)]
    assert all(0 < at < STEPS for at in before), before
    process = start(out, "0")
    text = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 0, text
    assert "all 3 runs are finished (0 before, 3 in" in text, text
    for seed in (0, 1):
        calls = (out / f"seed-{seed}/calls.txt").read_text().splitlines()
        assert len(calls) == 2 and calls[1].endswith("--resume"), calls
        lines = (out / f"seed-{seed}/metrics.jsonl").read_text().count('"loss"')
        assert lines == STEPS, lines


def stopped_by(number):
    out = folder / f"signal-{number}"
    process = start(out)
    begun(out, 2)
    process.send_signal(number)
    text = process.communicate(timeout=LIMIT)[0]
    assert process.returncode == 130, (process.returncode, text)
    assert "stopping: 2 going on, each writes a checkpoint" in text, text
    assert "stopped: 0 of 3 runs are finished; the same line goes on" in text, text
    goes_on(out)


def killed():
    out = folder / "killed"
    process = start(out)
    begun(out, 2)
    # While it works, a second one is refused.
    second = start(out)
    text = second.communicate(timeout=LIMIT)[0]
    assert second.returncode == 1 and "must have one sweep, but another one" in text, text
    process.kill()
    process.wait()
    # Its runs are told to stop and write their checkpoints; only then may another sweep begin.
    until(lambda: is_free(out), "the end of the runs")
    goes_on(out)


def full_disk():
    """A run whose log has no room says nothing; the sweep tells why."""
    out = folder / "disk"
    out.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", out], capture_output=True).returncode:
        return print("no file system of its own can be mounted here: a full disk is not tried")
    try:
        text = start(out, "0").communicate(timeout=LIMIT)[0]
        assert re.search("seed-[0-2] failed with status [0-9]+ after .*\n.*the disk of this log is full: what was said last may be missing", text), text
    finally:
        subprocess.run(["umount", out], check=True)


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
stopped_by(signal.SIGINT)
stopped_by(signal.SIGTERM)
killed()
full_disk()
