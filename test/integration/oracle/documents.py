"""Documents that share rows, kept apart: programs in f64 against PyTorch with masks, and against each document in a row
of its own in a program that knows of no documents. Arguments: `models FOLDER`, or `random FIRST COUNT`."""
import os
import sys
import tempfile
from dataclasses import replace

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
sys.path.insert(0, os.path.dirname(__file__))
import numpy as np
import torch

import models
import random_models
from oracle import check_all, setting_of
from programs import pair_problems, step_problems
from training_program import Programs, compile_object
from whole import every


def emulated(case):
    return ["--target=cuda", "--emulate", f"--max-documents={case.batch * case.length}"]


def pieces(data):
    """(row, begin, end) of each document."""
    positions = data[3]
    for row in range(len(positions)):
        begins = np.flatnonzero(positions[row] == 0)
        yield from zip([row] * len(begins), begins, [*begins[1:], positions.shape[1]])


def apart(data):
    """The same documents in rows of their own. Nothing looks ahead, and what stands behind one does not count."""
    tokens, targets, weights, _ = data
    rows = list(pieces(data))
    alone = [np.zeros((len(rows), tokens.shape[1]), each.dtype) for each in (tokens, targets, weights)]
    for to, (row, begin, end) in enumerate(rows):
        for wide, narrow in zip(alone, (tokens, targets, weights)):
            wide[to, : end - begin] = narrow[row, begin:end]
    return tuple(alone)


def alone_problems(case, step, setting, programs, folder):
    """What a step on packed documents computes otherwise than one on the documents alone."""
    data = apart(setting.data)
    single = compile_object(replace(case, batch=len(data[0]), documents=False), folder)
    other = programs.step(single, setting.parameters, data)
    pairs = {"loss": (step.loss, other.loss), "evaluation": (step.mean_nll, other.mean_nll)}
    problems = setting.beyond_noise(lambda noise: pair_problems(pairs, step.gradients, other.gradients, noise))
    return [f"packed is not alone: {problem}" for problem in problems]


def looks_ahead(case):
    spec = case.spec if "\n" in case.spec else ""
    return "causal = false" in spec


def problems_of(case, options, setting, programs):
    with tempfile.TemporaryDirectory() as folder:
        step = programs.step(compile_object(case, folder, *options), setting.parameters, setting.data)
        problems = step_problems(step, setting)
        if not options and not looks_ahead(case):
            problems += alone_problems(case, step, setting, programs, folder)
    return [" ".join((*options, problem)) for problem in problems]


def checker():
    """A check of cases; every fourth is compiled without fusion, and for the emulator, too, and its kernels are counted."""
    programs = Programs()

    def check(case, seed):
        setting, problems, often = setting_of(case, seed), [], seed % 4 == 0
        for options in [["--fuse=always"], ["--fuse=none"], emulated(case)] if often else [["--fuse=always"]]:
            problems += problems_of(case, options, setting, programs)
        return "; ".join(problems + (random_models.kernel_problems(case) if often else []))

    return check


def main(kind, *arguments):
    torch.set_num_threads(1)
    first = 0
    if kind == "models":
        cases = [replace(case, length=max(case.length, 40)) for case in models.plain_cases(*arguments, canon=models.CANON[2:3])]
        cases = every(3, cases[: models.SUBSETS : 5] + cases[models.SUBSETS :])  # a tap is masked wherever it stands
    else:
        first, count = map(int, arguments)
        cases = random_models.cases(first, count)
    cases = [replace(case, documents=True) for case in cases]
    return check_all(cases, checker(), first)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) != 0)
