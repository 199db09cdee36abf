"""Compiled programs in f64, every third also unfused, against PyTorch: loss and all gradients of a step. The argument names the
cases: `models FOLDER`, `operations`, or `random FIRST COUNT`."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
sys.path.insert(0, os.path.dirname(__file__))
import numpy as np

import models
import operations
import random_models
from oracle import (TOLERANCE, check_all, differences, emitted_module, model_of, noise_of, random_data, random_weights,
                    seq_module, torch_results)  # fmt: skip
from training_program import compile_program, run_program


def problems_of(case, options, parameters, data, expected, noise):
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(case, folder, *options)
        lines, gradients = run_program(program, folder, parameters, data, "--steps", "1", "--lr", "0", "--warmup", "0")
    problems = differences(gradients, expected.gradients, TOLERANCE, noise)
    loss = lines[0]["loss"]
    if not abs(loss - expected.loss) <= TOLERANCE * abs(expected.loss):
        problems.insert(0, f"loss {loss!r} instead of {expected.loss!r}")
    return [" ".join((*options, problem)) for problem in problems]


def check(case, seed):
    rng = np.random.default_rng(seed)
    model = model_of(emitted_module(seq_module(case)))
    random_weights(model, rng)
    data = random_data(case, rng)
    expected = torch_results(model, *data)
    noise = noise_of(model, data, expected, rng)
    parameters = {name: weight.numpy() for name, weight in model.state_dict().items()}
    problems = []
    for options in ([], ["--fuse=none"]) if seed % 3 == 0 else ([],):
        problems += problems_of(case, options, parameters, data, expected, noise)
    return "; ".join(problems)


def cases(kind, *arguments):
    if kind == "models":
        return list(models.cases(*arguments))
    if kind == "operations":
        return operations.cases()
    first, count = map(int, arguments)
    return [random_models.case(seed) for seed in range(first, first + count)]


if __name__ == "__main__":
    sys.exit(check_all(cases(*sys.argv[1:]), check) != 0)
