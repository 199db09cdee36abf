# REQUIRES: compiler, runtime
# RUN: %python %s %build
"""The operation that docs/extending.md adds, with the tools that have it: loss, gradients, evaluation, packed documents
and decoding in f64, f32 and bf16 against PyTorch, whose twin of it is checked against a loop."""
import json
import os
import sys
import tempfile
from dataclasses import replace

sys.path[:0] = [os.path.join(os.path.dirname(__file__), "..", *path) for path in (["support"], ["integration", "oracle"])]
import numpy as np
import torch

import decode
import documents
import programs
import training_program
from decoding import Setting
from oracle import Case, check_all, emitted_module, run, seq_module, setting_of
from training_program import Programs, compile_object

# Alone, twice in a row, of some columns of wider rows, with a Canon layer on either side, before attention, in a loop.
SPEC = """model means(vocab: int, dim = 12) {
  block layer(x) {
    a, b = canon(linear(rms_norm(x), dim), linear(x, dim), kernel = 3)
    y = canon(cumulative_mean(a) * silu(b)) + cumulative_mean(cumulative_mean(x))
    q, k = rotary(linear(y, dim), linear(cumulative_mean(y), dim), heads = 2)
    return x + linear(softmax_attention(q, k, y, 2), dim)
  }
  x = embed(tokens, vocab, dim)
  repeat 3 { x = layer(x) }
  return linear(cumulative_mean(rms_norm(x)), vocab)
}
"""
CASE = Case("means", SPEC, batch=3, length=17, vocabulary=9, finite_differences=True)
EMULATED = ("--target=cuda", "--emulate")
NEAR = {"f32": 1e-4, "bf16": 0.05}  # of the norm of all gradients


def check_twin(case, seed):
    """Against a loop over documents."""
    mean = emitted_module(seq_module(case))["cumulative_mean"]
    x = torch.randn(2, 9, 4, dtype=torch.float64, generator=torch.manual_seed(seed))
    positions = torch.tensor([[0, 1, 2, 0, 1, 2, 3, 4, 0], list(range(9))])
    for given in (None, positions):
        expected = torch.empty_like(x)
        for row, t in np.ndindex(2, 9):
            begin = 0 if given is None else t - int(given[row, t])
            expected[row, t] = x[row, begin : t + 1].mean(0)
        if not torch.allclose(mean(x, given), expected, rtol=1e-14, atol=0):
            return f"the twin differs with positions {given}"
    return ""


def check_exact(case, seed):
    return programs.checker(unfused=1)(case, seed)


def check_documents(case, seed):
    return documents.checker()(replace(case, length=40, documents=True, finite_differences=False), seed)


def check_rounded(case, seed):
    setting, runner, problems = setting_of(case, seed), Programs(), []
    parameters = {name: value.astype(np.float32) for name, value in setting.parameters.items()}
    data = [each.astype(np.float32) if each.dtype == float else each for each in setting.data]
    together = lambda gradients: np.concatenate([gradients[name].ravel() for name in sorted(gradients)])
    expected = together(setting.expected.gradients)
    for dtype, options in (("f32", ()), ("f32", EMULATED), ("bf16", EMULATED)):
        with tempfile.TemporaryDirectory() as folder:
            step = runner.step(compile_object(case, folder, *options, dtype=dtype), parameters, data)
        error = np.linalg.norm(together(step.gradients) - expected) / np.linalg.norm(expected)
        print(f"{dtype} {' '.join(options)}: gradients off by {error:.1e}")
        if not error <= NEAR[dtype]:
            problems.append(f"{dtype} {' '.join(options)}: gradients off by {error:.1e}")
    return "; ".join(problems)


def check_decode(case, seed):
    setting = Setting(case, seed)
    problems = decode.problems_of(setting, 4) + decode.problems_of(setting, 4, *EMULATED)
    return "; ".join(problems + decode.problems_of(setting, 3, *EMULATED, dtype="bf16", tolerance=0.1))


def check_program(case, seed):
    """A linked program finds the extension's library by itself, and computes the same on one thread as on two."""
    with tempfile.TemporaryDirectory() as folder:
        spec, program = os.path.join(folder, "means.stretto"), os.path.join(folder, "means")
        with open(spec, "w") as file:
            file.write(case.spec)
        run(["stretto-compile", spec, "--task", "copy", "--batch", "4", "-o", program])
        losses = []
        for threads in ("1", "2"):
            out = os.path.join(folder, threads)
            run([program, "--task", "copy", "--steps", "5", "--threads", threads, "--quiet", "--out", out])
            with open(os.path.join(out, "metrics.jsonl")) as file:
                losses.append([json.loads(line).get("loss") for line in file])
    return "" if losses[0] == losses[1] else f"{losses[0]} on one thread, {losses[1]} on two"


def main(build):
    bin = os.path.join(build, "test", "extension", "bin")
    os.environ["PATH"] = bin + os.pathsep + os.environ["PATH"]
    training_program.LIBRARIES.append("stretto_cumulative_mean")
    torch.set_num_threads(1)
    checks = (check_twin, check_exact, check_documents, check_rounded, check_decode, check_program)
    return sum(check_all([CASE], check) for check in checks)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) != 0)
