# REQUIRES: compiler, runtime
# RUN: %python %s %models
"""Activations in bf16, against PyTorch in f64.

With bf16 taken for exact numbers the module computes what it does without bf16, loss, gradients, predictions, and for the
models what PyTorch does (random ones may be so ill-conditioned that constants in f32 move them further). With numbers rounded
where the types say so, the loss stays within LOSS, and all gradients together are off by about as much as those of the
emitted PyTorch module held in bf16 whole: at most LARGEST times as much for each model, MEAN times on the geometric
average over models. Both for the models, fused and not; random models, which may be as ill-conditioned as they like, are
only held to the first.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import numpy as np
import torch
from interpret import Program
from models import plain_cases
from oracle import (TOLERANCE, Case, check_all, emitted_module, model_of, outputs_of, problems_of, results_of, run, seq_module,
                    setting_of)  # fmt: skip
from random_models import cases as random_cases
from whole import every

EXACT = 1e-5  # constants are written in f32
LOSS = 0.03
LARGEST = {"all": 3, "none": 6}
MEAN = {"all": 1.0, "none": 1.5}
OF_ANGLES = {"all": 0.1, "none": 0.1}  # PyTorch holds the angles in bf16, too
# Mixers take and give in f32 what matmuls and attention read and make in bf16.
CONVERTED = """model m(vocab: int) {
  x = embed(tokens, vocab, 8)
  repeat 2 {
    q, k, v, w = linear(x, 8), linear(x, 8), linear(x, 8), linear(x, 2)
    o = linear_attention(q, k, v, 2, write = w)
    p = linear_attention(q, x, v, 8, decay = -square(x), write = softmax_attention(x, x, x, 2))
    x = x + linear(o + p, 8)
  }
  return linear(x, vocab)
}
"""
# Angles that are summed over tokens are larger than bf16 tells apart.
ANGLES = """model m(vocab: int) {
  x, one = embed(tokens, vocab, 8), full(8, 1)
  far = linear_attention(one, one, 100 + linear(x, 8), 8, scale = 1.0) / 2
  repeat 2 {
    angle = linear_attention(one, one, 100 + linear(x, 8), 8, scale = 1.0)
    x = x + linear(x * cos(angle) + linear(x, 8) * sin(2 * angle + far), 8)
  }
  return linear(x, vocab)
}
"""


def together(gradients):
    return np.concatenate([gradients[name].ravel() for name in sorted(gradients)])


def torch_gradients(case, setting):
    """Of the emitted module with weights and activations in bf16; the loss is computed in f32."""
    emitted = emitted_module(seq_module(case))
    model = model_of(emitted)
    model.load_state_dict({name: torch.from_numpy(value) for name, value in setting.parameters.items()})
    model.bfloat16()
    tokens, targets, weights = map(torch.from_numpy, setting.data)
    outputs = outputs_of(model, tokens, targets=targets)
    outputs = tuple(each.float() for each in outputs) if isinstance(outputs, tuple) else outputs.float()
    emitted["loss"](outputs, targets, weights).backward()
    trained = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    return {name: (0 * weight if weight.grad is None else weight.grad).float().detach().numpy() for name, weight in trained.items()}


def error_of(gradients, setting):
    expected = together(setting.expected.gradients)
    return np.linalg.norm(together(gradients) - expected) / np.linalg.norm(expected)


def compile_fused(case, fuse, types=" activations=bf16"):
    pipelines = [f"--stretto-train=memory-budget={case.memory_budget}{types}", f"--stretto-fused=fuse={fuse}"]
    text = run(["stretto-opt", *pipelines, "--mlir-print-op-generic"], seq_module(case))
    assert ("xbf16>" in text) == bool(types)
    return text


def errors_of(text, setting):
    """Of the loss, and of all gradients as a multiple of that of PyTorch in bf16."""
    program = Program(text, setting.parameters)
    (loss,) = program.call("gradients", *setting.data)
    usual = error_of(torch_gradients(setting.case, setting), setting)
    return abs(loss.item() / setting.expected.loss - 1), error_of(program.gradients, setting) / usual


def rounding_problems(text, setting, seed, ratios, largest):
    """Where weights make norms of small rows, errors are anything (those of PyTorch 5 to 600 % for one model): beyond the
    limit, the median of five draws counts."""
    off, ratio = errors_of(text, setting)
    if ratio > largest:
        others = [errors_of(text, setting_of(setting.case, seed + 1000 * draw))[1] for draw in (1, 2, 3, 4)]
        ratio = np.median([ratio, *others])
    ratios.append(ratio)
    problems = [] if off <= LOSS else [f"loss: error {off:.1e}"]
    return problems + ([] if ratio <= largest else [f"gradients: {ratio:.1f} times the error of PyTorch in bf16"])


def checker(ratios=None, like_torch=True, largest=LARGEST):
    """Also with roundings where `ratios` takes errors by setting of `fuse`, as multiples of those of PyTorch in bf16."""

    def check(case, seed=0):
        setting, problems = setting_of(case, seed), []
        unrounded = results_of(compile_fused(case, "none", types=""), setting.parameters, setting.data)
        for fuse in MEAN:
            text = compile_fused(case, fuse)
            found = problems_of(text, setting.parameters, setting.data, unrounded, setting.noise, TOLERANCE, rounds=False)
            if like_torch:
                found += problems_of(text, setting.parameters, setting.data, setting.expected, setting.noise, EXACT, rounds=False)
            if ratios:
                found += rounding_problems(text, setting, seed, ratios[fuse], largest[fuse])
            problems += [f"fuse={fuse}: {problem}" for problem in found]
        return "; ".join(problems)

    return check


if __name__ == "__main__":
    models = every(2, list(plain_cases(sys.argv[1]))[10:])  # the last subsets of Canon layers, all options, the other models
    ratios = {fuse: [] for fuse in MEAN}
    failures = check_all(models, checker(ratios), tolerance=EXACT)
    failures += check_all([Case("converted", CONVERTED)], checker(), tolerance=EXACT)
    failures += check_all([Case("angles", ANGLES)], checker({fuse: [] for fuse in MEAN}, largest=OF_ANGLES), tolerance=EXACT)
    failures += check_all(random_cases(300, 15), checker(like_torch=False), first=300)
    for fuse, most in MEAN.items():
        mean = np.exp(np.mean(np.log(ratios[fuse])))
        print(f"fuse={fuse}: gradients are off by {mean:.2f} times the error of PyTorch in bf16, which may be {most}")
        failures += not mean <= most
    sys.exit(failures != 0)
