# REQUIRES: compiler, runtime
# RUN: %python %s
"""Which numbers are dropped out: those that the text of seq.dropout says, whatever types, kernels and machine a program is
made for, as often as the rate says, and of nothing that seed, token, place or column share."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import numpy as np
from dropout import kept, keys_of_dropout
from oracle import Case
from training_program import Programs, compile_object

# Each token is another one: its row of the table has no gradient where the row was dropped out.
SPEC = """model masks(vocab: int, rate = 0.3) {
  x = embed(tokens, vocab, 40)
  return linear(dropout(x, rate), vocab)
}
"""
BATCH, LENGTH = 3, 20
CUDA = ["--target=cuda", "--emulate"]
MACHINES = [("f32", ["--fuse=none"]), ("f32", ["--fuse=always"]), ("f32", ["--cpu=x86-64-v3"]), ("f64", []), ("f32", CUDA), ("f64", CUDA),
            ("bf16", CUDA), ("bf16", [*CUDA, "--fuse=none"])]
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print(what)


def masks_of(programs, rate, dtype, options):
    """Which columns of each token are kept, by the gradient of a compiled program."""
    count, real = BATCH * LENGTH, np.float64 if dtype == "f64" else np.float32
    case = Case("masks", SPEC, {"rate": rate}, BATCH, LENGTH, count)
    rng = np.random.default_rng(0)
    shape = {"x.weight": (count, 40), "linear.weight": (count, 40)}
    parameters = {name: rng.normal(size=size).astype(real) for name, size in shape.items()}
    tokens = np.arange(count).reshape(BATCH, LENGTH)
    with tempfile.TemporaryDirectory() as folder:
        shared = compile_object(case, folder, *options, dtype=dtype)
        step = programs.step(shared, parameters, (tokens, tokens, np.ones(tokens.shape)))
    return step.gradients["x.weight"].reshape(BATCH, LENGTH, 40) != 0


def check_programs():
    programs, columns = Programs(), np.arange(40)
    keys = keys_of_dropout(0, 0, BATCH, LENGTH)[..., None]
    for rate in (0.1, 0.75):
        for dtype, options in MACHINES:
            found = masks_of(programs, rate, dtype, options)
            expect(np.array_equal(found, kept(keys, 0, columns, rate)), f"rate {rate}, {dtype}, {options}: other masks")


def same(a, b):
    """Which part of two masks is alike, by how much it would be of independent ones, in deviations."""
    rate = 1 - a.mean()
    chance = rate**2 + (1 - rate) ** 2
    return ((a == b).mean() - chance) / np.sqrt(chance * (1 - chance) / a.size)


def check_numbers():
    """Parts of a few million numbers are within five deviations of what they should be."""
    keys, columns = keys_of_dropout(0, 0, 16, 256)[..., None], np.arange(512)
    for rate in (0.01, 0.1, 0.5, 0.9):
        mask = kept(keys, 7, columns, rate)
        off = ((1 - mask.mean()) - rate) / np.sqrt(rate * (1 - rate) / mask.size)
        expect(abs(off) < 5, f"rate {rate}: {1 - mask.mean()} are dropped out")
        by_token = mask.mean(-1).std() / np.sqrt(rate * (1 - rate) / 512)
        by_column = mask.mean((0, 1)).std() / np.sqrt(rate * (1 - rate) / 4096)
        expect(0.9 < by_token < 1.1 and 0.8 < by_column < 1.2, f"rate {rate}: spread by {by_token}, {by_column} of chance")
        others = {"place": kept(keys, 8, columns, rate), "far place": kept(keys, 7 + 2**20, columns, rate),
                  "seed": kept(keys_of_dropout(1, 0, 16, 256)[..., None], 7, columns, rate),
                  "step": kept(keys_of_dropout(0, 16, 16, 256)[..., None], 7, columns, rate),
                  "token": np.roll(mask, 1, 1), "sequence": np.roll(mask, 1, 0), "column": np.roll(mask, 1, 2),
                  "half of the columns": np.roll(mask, 256, 2)}  # fmt: skip
        for name, other in others.items():
            expect(abs(same(mask, other)) < 5, f"rate {rate}: masks of another {name} are alike by {same(mask, other):.1f}")


if __name__ == "__main__":
    check_numbers()
    check_programs()
    sys.exit(len(failures) != 0)
