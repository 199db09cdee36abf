"""A run saves where it is stopped: by a signal, by a terminal that closes, by a reader that goes away.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs/fake_f32 %t
"""
import os
import pty
import shutil
import signal
import subprocess
import sys

from harness import expect, read, run, until, usual_signals

fake, folder = sys.argv[1], sys.argv[2]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
usual_signals()
options = ["--task", "rule", "--steps", "100000", "--task-set", "delay_us=5000", "--threads", "1", "--eval-batches", "0"]


def steps(out):
    return read(f"{out}/metrics.jsonl").count(b"\n") if os.path.exists(f"{out}/metrics.jsonl") else 0


def until_it_steps(out):
    until(lambda: steps(out) > 0, f"{out}: a step")


def saved(out):
    """A stop leaves a checkpoint of its last step, and the run goes on from there."""
    step = int(read(f"{out}/ckpt/latest"))
    expect(step >= 1 and steps(out) == step, f"{out}: checkpoint {step} is not the last step")
    told = run(fake, "--resume", "--steps", step + 2, "--warmup", 0, "--quiet", "--out", out)
    others = [line for line in told.splitlines() if not line.startswith("warning: goes on with other settings: steps = ")]
    expect(not others and int(read(f"{out}/ckpt/latest")) == step + 2, f"{out}: {told}")


def started(out, **more):
    process = subprocess.Popen([fake, *options, "--out", out], **more)
    until_it_steps(out)
    return process


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    out = f"{folder}/{number.name}"
    process = started(out, stdout=subprocess.DEVNULL)
    process.send_signal(number)
    expect(process.wait() == 128 + number, f"exit status {process.returncode} after {number.name}")
    saved(out)

# What trains nothing has nothing to save, and ends at once.
idle = [fake, "--task", "rule", "--threads", "1", "--out", "none"]
for command in ([*idle, "--steps", "0", "--eval-batches", "1000000", "--progress", "plain"], [*idle, "--bench"]):
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if "--bench" in command:
            process.stdin.write("time 1\n")
            process.stdin.flush()
        while "weights" not in (line := process.stdout.readline()) and "{" not in line and "planned" not in line:
            expect(line, f"{command} ended by itself")
        process.send_signal(number)
        expect(process.wait(timeout=60) == -number, f"exit status {process.returncode} of {command} after {number.name}")

# A terminal that closes: SIGHUP, and nothing can be printed any more.
out = f"{folder}/terminal"
pid, terminal = pty.fork()
if pid == 0:
    os.execv(fake, [fake, *options, "--progress", "plain", "--log-every", "1", "--out", out])
until_it_steps(out)
os.close(terminal)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
expect(status == 128 + signal.SIGHUP, f"exit status {status} after the terminal closed")
saved(out)

# A reader that has enough.
out = f"{folder}/reader"
process = subprocess.Popen([fake, *options, "--progress", "plain", "--log-every", "1", "--out", out], stdout=subprocess.PIPE)
until_it_steps(out)
process.stdout.close()
expect(process.wait() == 128 + signal.SIGPIPE, f"exit status {process.returncode} after the reader left")
saved(out)

# Under nohup a run goes on.
out = f"{folder}/nohup"
process = started(out, stdout=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
process.send_signal(signal.SIGHUP)
before = steps(out)
until(lambda: process.poll() is not None or steps(out) >= before + 20, "twenty more steps")
expect(process.poll() is None, "SIGHUP that is ignored stopped the run")
process.send_signal(signal.SIGTERM)
expect(process.wait() == 128 + signal.SIGTERM, "exit status after SIGTERM")
