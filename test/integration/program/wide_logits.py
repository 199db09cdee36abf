"""Logits with more columns than there are tokens, as of a padded vocabulary: what is written is tokens, token by token and by
evaluations of whole sequences, though the columns behind them are the likeliest; the run directory is enough to go on.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import sys

from programs import empty, expect, run

folder = empty(sys.argv[1])
SPEC = f"{folder}/wide.stretto"
with open(SPEC, "w") as file:
    file.write("""model wide(vocab: int, dim = 16) {
  x = canon(embed(tokens, vocab, dim))
  h = rms_norm(x)
  return concat(linear(h, vocab), 2 + linear(h, 5))
}
""")
TASK = ["--task", "copy", "--batch", 4, "--length", 40, "--task-set", "n=6", "--task-set", "symbols=6", "--threads", 1]


def train(name, *more):
    """What the last evaluation of a short run says."""
    text = run("stretto", "train", SPEC, *TASK, "--steps", 6, "--eval-every", 3, "--eval-generate", 8, "--out", f"{folder}/{name}", *more)
    return [line for line in text.splitlines() if line.startswith("evaluation at step")][-1]


expect(train("decoded", "--decode", 8) == train("recomputed"), "answers depend on how they are written")
run("stretto", "eval", f"{folder}/decoded", "--threads", 1)
for more in ([], ["--temperature", 1]):
    text = run("stretto", "generate", f"{folder}/decoded", "--threads", 1, "--prompt", "3 1 4", "--write", 30, *more)
    answer = [line for line in text.splitlines() if "tokens/s" not in line][-1]
    written = [int(token) for token in answer.split()]
    expect(len(written) == 30 and max(written) < 8, f"{written} are no tokens")
