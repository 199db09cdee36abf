"""--mask-documents on the way of a user: training, resume, eval and generate from the run directory, on both targets, in f32
and in bf16.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import shutil
import sys

from programs import LLAMA, digest, empty, expect, read, run

folder, STEPS = empty(sys.argv[1]), 30
# Each row holds three copies and the start of another.
TASK = ["--task", "copy", "--batch", 8, "--length", 46, "--task-set", "n=6", "--task-set", "symbols=6"]
MODEL = ["--set", "dim=16", "--set", "layers=1", "--set", "heads=2"]
MASKED = [LLAMA, *TASK, *MODEL, "--mask-documents", "--lr", "1e-2", "--warmup", 5, "--schedule", "constant", "--threads", 1,
          "--quiet", "--eval-every", 5, "--eval-batches", 4]
BF16 = ["--target=cuda", "--emulate", "--dtype=bf16", "--max-documents=32"]


def train(out, steps, *more):
    run("stretto", "train", *MASKED, "--steps", steps, "--out", f"{folder}/{out}", *more)
    return json.loads(read(f"{folder}/{out}/metrics.jsonl").splitlines()[-1])


def evaluate(*arguments, write=0):
    """(scores, loss) of an evaluation of weights, or of what they write."""
    path = f"{folder}/scores.jsonl"
    run("stretto", "eval", *arguments, "--threads", 1, "--progress", "plain", "--eval-batches", 4 if not write else 0,
        "--eval-generate", write, "--scores", path)
    line = json.loads(read(path).splitlines()[-1])
    return line["scores"], line.get("eval_loss")


def answers(*arguments):
    text = run("stretto", "generate", *arguments, "--threads", 1, "--prompt", "1 2 3 4 5 6 7; 3 2; 5", "--write", 9)
    return [line for line in text.splitlines() if line[0].isdigit() and "tokens/s" not in line]


def near(found, expected, tolerance):
    return abs(found - expected) <= tolerance * expected


last = train("run", STEPS)
scores, loss = evaluate(f"{folder}/run")
expect((scores, loss) == (last["scores"], last["eval_loss"]), f"eval of the run differs: {scores} {loss}, {last}")
right, total = scores["token_accuracy"]
expect(total == 576 and 60 <= right <= 560, f"the copy must be half learned for this test to tell: {right} of {total}")
alone = [LLAMA, *TASK, *MODEL, "--init-from", f"{folder}/run"]  # one row, one document
_, together = evaluate(*alone)
expect(not near(together, loss, 0.05), f"documents that see each other have the same loss: {together}, {loss}")

train("resumed", STEPS // 2)
train("resumed", STEPS, "--resume")
expect(digest(f"{folder}/resumed", STEPS) == digest(f"{folder}/run", STEPS), "other bits when resumed")

# What is written is a document alone: with caches, without, and in a program that knows of no documents.
expect(answers(f"{folder}/run") == answers(*alone), "another answer where documents are masked")
written = evaluate(f"{folder}/run", write=16)
for other in ([f"{folder}/run", "--decode", 0], alone):
    expect(evaluate(*other, write=16) == written, f"{other}: other answers")

scores, rounded = evaluate(f"{folder}/run", *BF16)
expect(rounded != loss and near(rounded, loss, 0.02), f"bf16: loss {rounded} instead of {loss}")
last = train("bf16", 10, *BF16)
exact = train("f32", 10)
expect(near(last["eval_loss"], exact["eval_loss"], 0.02), f"trained in bf16: {last}, in f32: {exact}")
expect(evaluate(f"{folder}/bf16", *BF16)[1] == last["eval_loss"], "eval of the run in bf16 differs")
shutil.copytree(f"{folder}/bf16", f"{folder}/resumed16")
train("resumed16", 20, "--resume", *BF16)
train("straight16", 20, *BF16)
expect(digest(f"{folder}/resumed16", 20) == digest(f"{folder}/straight16", 20), "bf16: other bits when resumed")
expect(len(answers(f"{folder}/bf16", *BF16)) == 3, "no answers in bf16")
