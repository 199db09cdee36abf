"""Answers that the model writes are scored as its predictions are, where both see the same tokens before each.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import sys

from programs import HELLO, contains, empty, expect, program, run

folder = empty(sys.argv[1])
# A sequence holds one copy and the start of another, so that the answers of a sequence are those of its first instance.
TASK = ["--task", "copy", "--batch", 8, "--length", 20, "--task-set", "n=6", "--task-set", "symbols=6"]
trained = program(HELLO, *TASK, "--set", "dim=16", "--set", "layers=1")
run(trained, *TASK[:2], *TASK[6:], "--threads", 1, "--steps", 165, "--lr", "1e-2", "--warmup", 5, "--quiet", "--eval-batches", 0,
    "--out", f"{folder}/run")


def scores(*options):
    path = f"{folder}/scores.jsonl"
    text = run("stretto", "eval", f"{folder}/run", "--threads", 1, "--progress", "plain", "--scores", path, *options)
    line = open(path).read().splitlines()[-1]
    return json.loads(line)["scores"], text


some, text = scores("--eval-batches", 4, "--eval-generate", 32)
right, total = some["accuracy"]
expect(total == 32 and 2 <= right <= 30, f"the copy must be half learned for this test to tell: {right} of {total}")
expect(some["generated/accuracy"] == [right, total], f"written answers differ from predicted ones: {some}")
contains(text, "generated/accuracy")
contains(text, "95 % interval")
# Instances that do not fill a batch, and answers drawn at a temperature: as many, less often right; the same each time.
part, _ = scores("--eval-batches", 0, "--eval-generate", 11)
expect(part["generated/accuracy"][1] == 11, f"{part}")
hot, _ = scores("--eval-batches", 0, "--eval-generate", 32, "--temperature", 5)
# With caches, as eval compiles for writing, and without.
for options, expected in (([], some), (["--temperature", 5], some | hot)):
    slow, _ = scores("--eval-batches", 4, "--eval-generate", 32, "--decode", 0, *options)
    expect(slow == expected, f"without caches, {options}: {slow} instead of {expected}")
expect(hot["generated/accuracy"][0] < right, f"a high temperature changes nothing: {hot}")
expect(scores("--eval-batches", 0, "--eval-generate", 32, "--temperature", 5)[0] == hot, "drawn answers change")
# While training, too, and by default only where the task is judged by it.
run(trained, *TASK[:2], *TASK[6:], "--threads", 1, "--steps", 2, "--quiet", "--eval-generate", 8, "--out", f"{folder}/more")
last = json.loads(open(f"{folder}/more/metrics.jsonl").read().splitlines()[-1])
expect(last["scores"]["generated/accuracy"][1] == 8, f"{last}")
expect("generated/accuracy" not in scores("--eval-batches", 1)[0], "copies are written without being asked for")
