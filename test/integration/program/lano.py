"""A model learns a grammar from a file: what it says about the next token and what it writes are scored.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import sys

from programs import HELLO, contains, empty, expect, program, run

folder = empty(sys.argv[1])
with open(f"{folder}/own.grammar", "w") as file:
    file.write("terminals a b c\nS -> A B | B A\nA -> a a | b\nB -> c c | a c | b c c\n")
TASK = ["--task", "lano", "--batch", 8, "--length", 32, "--task-set", f"grammar={folder}/own.grammar"]
trained = program(HELLO, *TASK, "--set", "dim=16", "--set", "layers=1")
run(trained, *TASK[:2], *TASK[6:], "--threads", 1, "--steps", 150, "--lr", "1e-2", "--warmup", 5, "--quiet", "--eval-batches", 0,
    "--eval-generate", 0, "--out", f"{folder}/run")
path = f"{folder}/scores.jsonl"
table = run("stretto", "eval", f"{folder}/run", "--threads", 1, "--progress", "plain", "--scores", path, "--eval-batches", 8,
            "--eval-generate", 64)
scores = json.loads(open(path).read().splitlines()[-1])["scores"]
contains(table, "generated/accuracy")
expect(list(scores)[0] == "generated/accuracy", f"what is written comes first: {list(scores)}")
right, total = scores["generated/accuracy"]
wrong = sum(scores[f"generated/{reason}"][0] for reason in ("wrong_token", "early_end", "no_end"))
expect(total == 64 and right + wrong == total, f"each answer is right or wrong for one reason: {scores}")
# Twelve sentences of three to five tokens: chance writes one of them in one of 45 cases.
expect(right > total / 3, f"the grammar was not learned: {scores}")
# Both estimate the same divergence, one from the distributions, one from the tokens that came.
kl, excess = scores["kl"], scores["excess_nll"]
expect(0 < kl["mean"] < 0.5 and kl["count"] == 8 * 8 * 32, f"{kl}")
expect(abs(kl["mean"] - excess["mean"]) < 0.02, f"{kl} and {excess} differ")
