"""The bits of a run with dropout do not depend on threads, ranks or a stop, and the same numbers are dropped out however a
step is divided; each step, seed and sequence has its own. Evaluations and generated text are those of the model without.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import shutil
import sys

from programs import TASK, digest_of_ranks, empty, expect, program, read, run

SPEC = """model dropped(vocab: int, dim = 32, heads = 2, rate = 0.2) {
  block layer(x) {
    h = rms_norm(x)
    x = x + dropout(linear(softmax_attention(h, h, h, heads), dim), rate)
    return x + dropout(linear(silu(linear(canon(rms_norm(x)), 2 * dim)), dim), rate)
  }
  x = dropout(embed(tokens, vocab, dim), rate)
  repeat 2 { x = layer(x) }
  return linear(rms_norm(x), vocab)
}
"""
folder = empty(sys.argv[1])
spec = f"{folder}/dropped.stretto"
with open(spec, "w", encoding="utf-8") as file:
    file.write(SPEC)
SIZES = [*TASK, "--length", 64, "--decode", 16]
options = [*TASK, "--steps", 8, "--save-every", 4, "--keep", 9, "--eval-batches", 2, "--eval-every", 0, "--quiet", "--threads", 1]
trained = program(spec, *SIZES, "--batch", 2)
without = program(spec, *SIZES, "--batch", 2, "--set", "rate=0")


def lines(name):
    return [json.loads(line) for line in read(f"{folder}/{name}/metrics.jsonl").splitlines()]


def same(names, *more):
    """Runs that must have the same bits; their digest."""
    digests = {}
    for name, own in names.items():
        run(trained, *options, *more, *own, "--out", f"{folder}/{name}")
        digests[name] = digest_of_ranks(f"{folder}/{name}", 8)
    expect(len(set(digests.values())) == 1, f"bits depend on {digests}")
    return digests.popitem()[1]


alone = same({"one": [], "two": ["--threads", 2], "late": ["--device", "null-async"], "parts": ["--check-finite"]})
expected = same({f"ranks{n}": ["--ranks", n] for n in (1, 2, 4)}, "--virtual-ranks", 4)
expect(alone != expected, "four virtual ranks must train on other sequences than one")

# A run that was stopped after four steps, and goes on with one rank instead of four.
shutil.copytree(f"{folder}/ranks4", f"{folder}/again")
shutil.rmtree(f"{folder}/again/ckpt/00000008")
run(trained, "--resume", "--ranks", 1, "--threads", 1, "--quiet", "--out", f"{folder}/again")
expect(digest_of_ranks(f"{folder}/again", 8) == expected, "bits differ after a resume")

# The same eight sequences of a step in as many parts as there may be: what differs is the order of sums alone.
steps = {}
for name, batch, more in [("whole", 8, []), ("accumulated", 2, ["--accumulate", 4]), ("shared", 2, ["--ranks", 2, "--accumulate", 2]),
                          ("virtual", 1, ["--virtual-ranks", 4, "--accumulate", 2])]:  # fmt: skip
    exact = program(spec, *SIZES, "--batch", batch, "--dtype", "f64")
    run(exact, *TASK, "--steps", 2, "--eval-batches", 0, "--quiet", "--threads", 1, "--out", f"{folder}/{name}", *more)
    steps[name] = [line[number] for line in lines(name) for number in ("loss", "grad_norm")]
for name, found in steps.items():
    off = max(abs(a / b - 1) for a, b in zip(found, steps["whole"], strict=True))
    expect(off < 1e-11, f"{name}: losses and norms of gradients are off by {off}")

# The same sequences again and again, from the same weights: each step and each seed drops out other numbers.
run(trained, *TASK, "--steps", 1, "--quiet", "--out", "none", "--dump-batch", f"{folder}/batch")
weights = f"{folder}/one/ckpt/00000008"
still = ["--tokens", f"{folder}/batch", "--init-from", weights, "--lr", 0, "--steps", 4, "--weight-decay", 0, "--quiet", "--threads", 1]
losses = {}
for name, binary, more in [("steps", trained, []), ("seed", trained, ["--seed", 1]), ("none", without, [])]:
    run(binary, *still, *more, "--out", f"{folder}/{name}")
    losses[name] = [line["loss"] for line in lines(name) if "grad_norm" in line]
expect(len(set(losses["steps"] + losses["seed"])) == 8, f"losses of other steps and seeds are alike: {losses}")
expect(len(set(losses["none"])) == 1, f"without dropout each step has the same loss: {losses['none']}")

# Evaluations and what is written.
evaluation = [*TASK, "--steps", 0, "--init-from", weights, "--eval-batches", 2, "--eval-generate", 4, "--quiet", "--threads", 1]
for name, binary in (("with", trained), ("without", without)):
    run(binary, *evaluation, "--out", f"{folder}/evaluated-{name}")
found, wanted = (
    {key: value for key, value in lines(f"evaluated-{name}")[-1].items() if key == "eval_loss" or key == "scores"}
    for name in ("with", "without"))  # fmt: skip
expect(found == wanted and found, f"an evaluation with dropout: {found}, without: {wanted}")
