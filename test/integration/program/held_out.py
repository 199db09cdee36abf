"""Each held-out sequence counts once, however many batches an evaluation may take; the last batch need not be full.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import re
import sys

from programs import HELLO, SMALL, contains, empty, expect, read, run

folder = empty(sys.argv[1])
exported = run("stretto-data", "copy", "--set", "n=5", "--set", "symbols=5", "--set", "length=64", "--samples", 9,
               "--export", f"{folder}/copy.tokens")
expect(exported == "", f"exported with a message: {exported}")
options = [HELLO, "--task", "tokens", "--task-set", f"file={folder}/copy.tokens", "--task-set", "validation=3", *SMALL]
run("stretto", "train", *options, "--steps", 1, "--quiet", "--out", f"{folder}/run")


def targets(batches):
    """How many targets an evaluation of so many batches of two sequences counts, and what it prints."""
    told = run("stretto", "eval", f"{folder}/run", "--eval-batches", batches, "--progress", "plain")
    found = re.search(r"^nll +([\d.]+) .* (\d+)  nats$", told, re.M)
    expect(found, f"no score of the targets in {told}")
    return int(found[2]), found[1]


expect(targets(1)[0] == 2 * 64, "a batch has not two sequences")
whole = targets(2)
expect(whole[0] == 3 * 64, f"three sequences are held out, but {whole[0]} targets count")
expect(targets(9) == whole, "held-out sequences count more than once")
last = json.loads(read(f"{folder}/run/metrics.jsonl").splitlines()[-1])
expect(last["scores"]["token_accuracy"][1] == 3 * 64, f"evaluated while training: {last}")

# Several tokens open the documents of mano.
told = run("stretto-data", "mano", "--samples", 2, "--export", f"{folder}/mano.tokens")
contains(told, "warning: several tokens open the documents of 'mano', so that the file does not say where they begin")
