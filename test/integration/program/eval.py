"""Trained weights are scored at the batch and length of the training, and at others: compiled again through the cache.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import re
import sys

from programs import HELLO, SMALL, TASK, contains, empty, expect, program, run

folder = empty(sys.argv[1])
trained = program(HELLO, *TASK, *SMALL)
lastWords = run(trained, *TASK, "--threads", 1, "--steps", 10, "--progress", "plain", "--eval-batches", 4,
                "--out", f"{folder}/run")


def score(text):
    return re.search(r"evaluation at step \d+: loss ([\d.]+)", text)[1]


def evaluate(*options, status=0):
    return run("stretto", "eval", HELLO, *TASK, *SMALL, "--threads", 1, "--progress", "plain", *options, status=status)


weights = ["--init-from", f"{folder}/run"]
expect(score(evaluate(*weights, "--eval-batches", 4)) == score(lastWords), "a run directory's score differs from its own")
# The same rows in batches of another size.
expect(score(evaluate(*weights, "--batch", 4, "--eval-batches", 2)) == score(lastWords), "the score depends on the batch")
longer = score(evaluate(*weights, "--length", 96, "--eval-batches", 4))
expect(longer != score(lastWords), "another length gives the same score")
contains(evaluate(status=2), "eval needs the weights: give --init-from")
contains(evaluate("--init-from", f"{folder}/none", status=1), f"cannot open '{folder}/none'")
