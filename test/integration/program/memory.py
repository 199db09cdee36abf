"""The plan that is printed before the run is what the run takes, libraries and scratch included, on a toy model as well; what
the process has resident is told beside it, as the system counts it.

REQUIRES: compiler, runtime
RUN: %python3 %s
"""
import json
import os
import re
import subprocess

from programs import HELLO, SMALL, TASK, expect, program, run


def inKiB(text):
    number, unit = text.split()
    return float(number) * 1024 ** ("KiB", "MiB", "GiB").index(unit)


# What the system says of a child when it is done, beside what the child says of itself.
toy = program(HELLO, *TASK, *SMALL)
child = subprocess.Popen([toy, *TASK, "--threads", "1", "--steps", "3", "--out", "none", "--progress", "plain"],
                         stdout=subprocess.PIPE, text=True)
told = child.stdout.read()
_, status, usage = os.wait4(child.pid, 0)
said = inKiB(re.search(r"(\S+ \S+) resident at the peak", told)[1])
expect(status == 0 and 0.9 < said / usage.ru_maxrss <= 1.01, f"{usage.ru_maxrss} KiB, but the program says: {told}")

for more in ([], ["--dtype", "f64"]):
    toy = program(HELLO, *TASK, *SMALL, *more)
    for threads in (1, 2, 4):
        options = [*TASK, "--threads", threads]
        told = run(toy, *options, "--progress", "plain", "--steps", 3, "--eval-batches", 2, "--accumulate", 2, "--out", "none")
        planned = re.search(r"planned memory: (\S+ \S+) \(.*library (\S+)", told)
        expect(planned[1] == re.search(r"(\S+ \S+) of planned memory taken", told)[1], told)
        resident = [inKiB(text) for text in re.findall(r"(?:libraries: |  |taken, )(\S+ [KMG]iB)(?: resident|$)", told, re.M)]
        expect(len(resident) == 4 and resident == sorted(resident), f"{resident} in {told}")
        expect(resident[0] > inKiB(planned[1]), f"the process with its libraries has less than the plan: {told}")
        expect(planned[2] != "0", "libraries take nothing, it is said")
        result = subprocess.run(list(map(str, [toy, *options, "--bench"])), input="time 5\nmemory\n", capture_output=True,
                                text=True)
        memory = json.loads(result.stdout.splitlines()[1])
        expect(abs(memory["measured"] / memory["planned"] - 1) <= 0.01, f"{threads} threads: {memory}")
