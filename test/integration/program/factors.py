"""Factors of learning rates and weight decays on the way of a user: asked for by options and files, trained with, written down,
resumed, shared by ranks, refused where they name no weight.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import sys

from programs import HELLO, SMALL, TASK, contains, digest, empty, expect, program, read, run

folder = empty(sys.argv[1])
SETTINGS = ["--steps", 4, "--warmup", 0, "--lr", "1e-2", "--weight-decay", 0.5, "--threads", 1, "--eval-batches", 0, "--progress",
            "plain", "--save-every", 2]  # fmt: skip
TRAIN = [HELLO, *TASK, *SMALL, *SETTINGS]
FACTORS = ["--lr-factors", "x.*=0,*.q.*=2.5", "--weight-decay-factors", "*norm*=0"]


def train(out, *arguments, status=0):
    return run("stretto", "train", *arguments, "--out", f"{folder}/{out}", status=status)


def curve(out):
    return [json.loads(line) for line in read(f"{folder}/{out}/metrics.jsonl").splitlines()]


train("plain", *TRAIN)
train("with", *TRAIN, *FACTORS)
expect(digest(f"{folder}/plain", 4) != digest(f"{folder}/with", 4), "factors change nothing")

# Written down, resumed, repeated, evaluated, compared.
contains(read(f"{folder}/with/run.toml").decode(), 'lr-factors = "x.*=0,*.q.*=2.5"  # command line\n')
train("resumed", *TRAIN, *FACTORS, "--steps", 4, "--schedule", "constant")
train("parts", *TRAIN, *FACTORS, "--steps", 2, "--schedule", "constant")
run("stretto", "train", "--resume", "--out", f"{folder}/parts", "--steps", 4)
expect(digest(f"{folder}/parts", 4) == digest(f"{folder}/resumed", 4), "other bits where a run is resumed")
contains(train("parts", *TRAIN, "--resume", status=1),
         "--lr-factors must be the '' that the model was compiled with, but got 'x.*=0,*.q.*=2.5'")
run("sh", f"{folder}/with/rerun.sh", f"{folder}/again")
expect(digest(f"{folder}/again", 4) == digest(f"{folder}/with", 4), "other bits when repeated")
run("stretto", "eval", f"{folder}/with", "--threads", 1, "--eval-batches", 1)
report = run("stretto", "compare", f"{folder}/plain", f"{folder}/with", "--table")
expect("lr-factors" in report and "*norm*=0" in report, f"compare does not say in what runs differ:\n{report}")
with open(f"{folder}/run.config", "w", encoding="utf-8") as file:
    file.write('[settings]\nlr-factors = "x.*=0,*.q.*=2.5"\nweight-decay-factors = "*norm*=0"\n')
train("file", *TRAIN, "--config", f"{folder}/run.config")
expect(digest(f"{folder}/file", 4) == digest(f"{folder}/with", 4), "a file is not as the options")

# The same bits whichever rank has a row.
train("virtual", *TRAIN, *FACTORS, "--virtual-ranks", 2)
train("ranks", *TRAIN, *FACTORS, "--ranks", 2)
expect(curve("virtual") == curve("ranks"), "losses of ranks differ")

# On the other target.
train("cuda", *TRAIN, *FACTORS, "--target=cuda", "--emulate", "--steps", 3, "--schedule", "constant")
train("cpu", *TRAIN, *FACTORS, "--steps", 3, "--schedule", "constant")
for found, wanted in zip(curve("cuda"), curve("cpu"), strict=True):
    expect(abs(found["loss"] - wanted["loss"]) <= 1e-5 * wanted["loss"], f"cuda: {found} instead of {wanted}")

# Wrong requests.
contains(train("none", *TRAIN, "--lr-factors", "embd*=0", status=1),
         "--lr-factors: no weight that is trained is called 'embd*'; there are x.weight, layers.0.layer.h.weight, ")
for text, message in (("embed", "must look like NAMES=FACTOR,NAMES=FACTOR, but got 'embed'"),
                      ("*=-1", "must give factors of at least 0, but got '-1' for *"),
                      ("*=inf", "must give factors of at least 0, but got 'inf' for *"),
                      ("[=1", "must name weights, but got '['")):  # fmt: skip
    contains(train("none", *TRAIN, "--lr-factors", text, status=2), f"--lr-factors {message}")
contains(run(program(HELLO, *TASK, *SMALL), *TASK, "--lr-factors", "*=2", "--out", "none", status=1),
         "--lr-factors must be the '' that the model was compiled with, but got '*=2' (command line)")
