"""What the compiler makes of models, in f64, as it runs in training programs: loss, gradients and evaluation against
PyTorch, with epilogues of matmuls wherever there can be any, some also unfused. The argument names the cases: `models
FOLDER`, `operations`, both also against differences of losses, or `random FIRST COUNT`, also against the least number of
kernels."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
sys.path.insert(0, os.path.dirname(__file__))
import torch

import models
import operations
import random_models
from oracle import TOLERANCE, agree, check_all, difference_problems, differences, setting_of
from training_program import Programs, compile_object
from whole import every


def pair_problems(pairs, gradients, expected, noise):
    """What differs of (found, expected) losses by name, and of gradients."""
    bounds = {"loss": noise.loss, "evaluation": noise.nll}
    return [f"{name} {found!r} instead of {wanted!r}" for name, (found, wanted) in pairs.items()
            if not agree(found, wanted, TOLERANCE, bounds[name])] + differences(gradients, expected, TOLERANCE, noise)  # fmt: skip


def step_problems(step, setting):
    """What a step computes otherwise than PyTorch."""
    expected, counted = setting.expected, setting.data[2] != 0
    mean = expected.nll[counted].mean() if counted.any() else 0.0
    pairs = {"loss": (step.loss, expected.loss), "evaluation": (step.mean_nll, mean)}
    problems = setting.beyond_noise(lambda noise: pair_problems(pairs, step.gradients, expected.gradients, noise))
    right = (expected.predicted == setting.data[1])[counted].sum()
    if step.right != right:
        problems.append(f"{step.right} right predictions instead of {right}")
    return problems


def problems_of(case, options, setting, programs):
    with tempfile.TemporaryDirectory() as folder:
        shared = compile_object(case, folder, *options)
        step = programs.step(shared, setting.parameters, setting.data)
        problems = step_problems(step, setting)
        if case.finite_differences:
            loss_of = lambda parameters: programs.step(shared, parameters, setting.data).loss
            problems += difference_problems(loss_of, setting.parameters, step.gradients, setting.rng)
    return [" ".join((*options, problem)) for problem in problems]


def checker(unfused):
    """A check of cases; every `unfused`th is compiled without fusion, too, which takes five times as long."""
    programs = Programs()

    def check(case, seed):
        setting, problems = setting_of(case, seed), []
        for options in (["--fuse=always"], ["--fuse=none"]) if seed % unfused == 0 else (["--fuse=always"],):
            problems += problems_of(case, options, setting, programs)
        return "; ".join(problems)

    return check


def random_checker():
    check_numbers = checker(unfused=20)

    def check(case, seed):
        return "; ".join(filter(None, [check_numbers(case, seed), *random_models.kernel_problems(case)]))

    return check


def main(kind, *arguments):
    torch.set_num_threads(1)  # other tests run on the other cores
    if kind == "random":
        first, count = map(int, arguments)
        return check_all(random_models.cases(first, count), random_checker(), first)
    cases = every(2, models.cases(*arguments)) if kind == "models" else operations.cases(compiled=True) # models.py has them all
    return check_all(cases, checker(unfused=5))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) != 0)
