"""The peak that is printed before the run is that of the run, libraries and scratch included, on a toy model as well.

REQUIRES: compiler, runtime
RUN: %python3 %s
"""
import json
import re
import subprocess

from programs import HELLO, SMALL, TASK, expect, program, run

for more in ([], ["--dtype", "f64"]):
    toy = program(HELLO, *TASK, *SMALL, *more)
    for threads in (1, 2, 4):
        options = [*TASK, "--threads", threads]
        told = run(toy, *options, "--progress", "plain", "--steps", 3, "--eval-batches", 2, "--accumulate", 2, "--out", "none")
        planned = re.search(r"planned memory: (\S+ \S+) \(.*library (\S+)", told)
        expect(planned[1] == re.search(r"(\S+ \S+) of memory at the highest", told)[1], told)
        expect(planned[2] != "0", "libraries take nothing, it is said")
        result = subprocess.run(list(map(str, [toy, *options, "--bench"])), input="time 5\nmemory\n", capture_output=True,
                                text=True)
        memory = json.loads(result.stdout.splitlines()[1])
        expect(abs(memory["measured"] / memory["planned"] - 1) <= 0.01, f"{threads} threads: {memory}")
