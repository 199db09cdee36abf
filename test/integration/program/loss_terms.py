"""Terms of the loss on the way of a user: asked for by options or by the recipe, trained with, written down, resumed,
evaluated without them.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import math
import sys

from programs import HELLO, SMALL, TASK, contains, digest, empty, expect, program, read, run

folder = empty(sys.argv[1])
SETTINGS = ["--steps", 6, "--warmup", 0, "--lr", "1e-2", "--threads", 1, "--eval-every", 3, "--eval-batches", 2,
            "--progress", "plain"]
TRAIN = [HELLO, *TASK, *SMALL, *SETTINGS]
TERMS = ["--nll-square=0.25", "--z-loss", "0.125"]


def train(out, *arguments, status=0):
    """What the run prints; its metrics are those of `lines`."""
    return run("stretto", "train", *arguments, "--out", f"{folder}/{out}", status=status)


def lines(out):
    return [json.loads(line) for line in read(f"{folder}/{out}/metrics.jsonl").splitlines()]


train("plain", *TRAIN)
text = train("both", *TRAIN, *TERMS)
contains(text, "loss of a token: n + 0.25 n^2 + 0.125 z^2; evaluations report n")
plain, both = lines("plain"), lines("both")

# At first all tokens are about as likely, and log-sum-exp and negative log-likelihood near ln V.
n = plain[0]["loss"]
expect(abs(both[0]["loss"] - (n + 0.25 * n**2 + 0.125 * n**2)) < 0.01 * n, f"first loss: {both[0]} beside {plain[0]}")
expect(both[5]["loss"] < both[0]["loss"] and digest(f"{folder}/both", 6) != digest(f"{folder}/plain", 6), "not trained")
evaluated = [line["eval_loss"] for line in both if "eval_loss" in line]
expect(all(each < 1.1 * n for each in evaluated), f"evaluations have terms: {evaluated}, {n}")

# The same on the other target, in both types of activations.
for out, tolerance, more in (("cuda", 1e-5, []), ("bf16", 0.02, ["--dtype=bf16"])):
    train(out, *TRAIN, *TERMS, "--target=cuda", "--emulate", "--steps", 1, *more)
    found, wanted = lines(out)[0], both[0]
    for name in ("loss", "grad_norm"):
        expect(abs(found[name] - wanted[name]) <= tolerance * wanted[name], f"{out}: {found} instead of {wanted}")

# The run says what it was, and can be evaluated, repeated and resumed.
contains(read(f"{folder}/both/run.toml").decode(), "nll-square = 0.25  # command line\nz-loss = 0.125  # command line\n")
contains(read(f"{folder}/plain/run.toml").decode(), "nll-square = 0  # program\n")
scores = f"{folder}/scores.jsonl"
run("stretto", "eval", f"{folder}/both", "--threads", 1, "--eval-batches", 2, "--scores", scores)
expect(json.loads(read(scores))["eval_loss"] == evaluated[-1], "eval of the run differs")
run("sh", f"{folder}/both/rerun.sh", f"{folder}/again")
expect(digest(f"{folder}/again", 6) == digest(f"{folder}/both", 6), "other bits when repeated")
train("resumed", *TRAIN, *TERMS, "--steps", 3)
contains(train("resumed", *TRAIN, "--resume", status=1),
         "--nll-square must be the 0 that the model was compiled with, but got 0.25")
train("resumed", *TRAIN, *TERMS, "--resume")
report = run("stretto", "compare", f"{folder}/plain", f"{folder}/both", "-o", f"{folder}/report")
expect("nll-square" in report and "z-loss" in report, f"compare does not say in what runs differ:\n{report}")

# A recipe asks for a term; the command line may ask for another.
copies = f"{folder}/copy.tokens"
run("stretto", "data", "copy", "--set", "length=64", "--set", "n=10", "--export", copies, "--samples", 40)
OF_RECIPE = [HELLO, "--task", "tokens", "--preset", "llama-1B", "--task-set", f"file={copies}", *SMALL, *SETTINGS]
contains(train("recipe", *OF_RECIPE), "loss of a token: n + 0.0001 n^2;")
contains(read(f"{folder}/recipe/run.toml").decode(), "nll-square = 0.0001  # recipe tokens llama-1B\n")
expect("loss of a token" not in train("without", *OF_RECIPE, "--nll-square", 0), "the recipe's term, though 0 was asked for")
made = program(HELLO, "--task", "tokens", "--task-set", f"file={copies}", "--length", 64, *SMALL)
text = run(made, "--task", "tokens", "--preset", "llama-1B", "--task-set", f"file={copies}", "--out", "none", status=1)
contains(text, "--nll-square must be the 0 that the model was compiled with, but got 0.0001 (recipe tokens llama-1B)")

stage = f"{folder}/plain.mlir"
run("stretto", "compile", HELLO, "--task", "tokens", "--task-set", f"file={copies}", *SMALL, "--emit=seq", "-o", stage)
text = run("stretto", "compile", stage, "--task", "tokens", "--preset", "llama-1B", "--task-set", f"file={copies}", *SMALL[:4],
           "--emit=train", status=1)
contains(text, "was made for a loss with nll_square 0, but the recipe has 0.0001")
expect(math.isfinite(lines("recipe")[-1]["eval_loss"]), "no number")
