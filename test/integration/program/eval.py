"""Trained weights are scored at the batch and length of the training, and at others: compiled again through the cache.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import re
import sys

from programs import HELLO, SMALL, TASK, contains, empty, expect, program, read, run

folder = empty(sys.argv[1])
trained = program(HELLO, *TASK, *SMALL)
lastWords = run(trained, *TASK, "--threads", 1, "--steps", 10, "--progress", "plain", "--eval-batches", 4,
                "--out", f"{folder}/run")


def score(text):
    return re.search(r"evaluation(?: at step \d+)?: loss ([\d.]+)", text)[1]


def evaluate(*options, status=0):
    return run("stretto", "eval", HELLO, *TASK, *SMALL, "--threads", 1, "--progress", "plain", *options, status=status)


weights = ["--init-from", f"{folder}/run"]
expect(score(evaluate(*weights, "--eval-batches", 4)) == score(lastWords), "a run directory's score differs from its own")
# The same rows in batches of another size.
expect(score(evaluate(*weights, "--batch", 4, "--eval-batches", 2)) == score(lastWords), "the score depends on the batch")
longer = score(evaluate(*weights, "--length", 96, "--eval-batches", 4))
expect(longer != score(lastWords), "another length gives the same score")
# Ranks may share an evaluation, however many the run had.
expect(score(evaluate(*weights, "--eval-batches", 4, "--ranks", 3)) == score(lastWords), "the score depends on the ranks")
told = run("stretto", "eval", f"{folder}/run", "--threads", 1, "--progress", "plain", "--ranks", 2)
expect(score(told) == score(lastWords), f"eval of a run on two ranks: {told}")
# The run directory tells spec, options and task; every path into it leads to the weights.
for path in ("", "/", "/ckpt", "/ckpt/latest", "/ckpt/00000010", "/ckpt/00000010/weights.safetensors"):
    told = run("stretto", "eval", f"{folder}/run{path}", "--threads", 1, "--progress", "plain")
    expect(score(told) == score(lastWords), f"eval of run{path}: {told}")
    contains(told, f"weights: {folder}/run/ckpt/00000010/weights.safetensors\n")
told = run("stretto", "eval", f"{folder}/run", "--threads", 1, "--progress", "plain", "--length", 96)
expect(score(told) == longer, "another length given to a run directory is not that given to the spec")
contains(run("stretto", "eval", f"{folder}/run/build", status=1), "a safetensors file, but is a folder with 'compiler.txt'")
contains(run("stretto", "eval", folder, status=2), "lies in no run directory")
contains(run("stretto", "eval", f"{folder}/none", status=2), f"cannot open '{folder}/none'")
told = run("stretto", "eval", f"{folder}/run", *TASK[:2], "--threads", 1, "--progress", "plain")
expect(score(told) == score(lastWords), f"eval of a run on its own task, by name: {told}")
# The run keeps every parameter of its task: one that another run names is no difference.
contains(read(f"{folder}/run/run.toml").decode(), '"queries" = "10"  # default\n')
run(trained, *TASK, "--task-set", "queries=10", "--threads", 1, "--steps", 10, "--quiet", "--out", f"{folder}/said")
told = run("stretto", "compare", f"{folder}/run", f"{folder}/said", "-o", f"{folder}/compare")
expect("task.queries" not in told, f"equal parameters are told as different: {told}")
# Another difficulty of its task; another task, of whose parameters the run knows nothing.
easier = run("stretto", "eval", f"{folder}/run", "--threads", 1, "--progress", "plain", "--task-set", "n=3")
expect(score(easier) != score(lastWords), "another difficulty gives the same score")
for option in (["--steps", 3], ["--resume"]):
    contains(run("stretto", "eval", f"{folder}/run", *option, status=2), f"{option[0]} is for training")
contains(evaluate(status=2), "the weights are missing: give a run directory, or --init-from")
# Where no target is counted there is no loss.
told = evaluate(*weights, "--eval-batches", 0, "--eval-generate", 1, "--scores", f"{folder}/scores.jsonl")
contains(told, "generated/accuracy")
expect("evaluation: loss" not in told, f"a loss over no targets: {told}")
expect("eval_loss" not in open(f"{folder}/scores.jsonl").read(), "a loss over no targets is recorded")
# A resume takes the folder of the checkpoints as well, but not one of them.
more = ["--resume", "--quiet", "--threads", 1, "--steps", 12]
contains(run(trained, *more, "--out", f"{folder}/run/ckpt/00000010", status=1), f"give the run directory '{folder}/run'")
run(trained, *more, "--out", f"{folder}/run/ckpt/latest")
expect(open(f"{folder}/run/ckpt/latest").read() == "00000012\n", "the resume did not go on in the run directory")
contains(evaluate("--init-from", f"{folder}/none", status=1), f"cannot open '{folder}/none'")
