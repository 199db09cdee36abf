"""Random models, compiled, against PyTorch in f64: the loss, all gradients and an evaluation, and the number of kernels
against the least that is legal. Case i is the model of seed i."""
import os
import shlex
import sys

TEST = os.path.join(os.path.dirname(__file__), "..")
sys.path += [os.path.join(TEST, "support"), os.path.join(TEST, "integration", "oracle")]

CASES, SHORT = 10000, 10


class Specs:
    def __init__(self, tools):
        import programs  # with torch, without which the other campaigns do
        import torch

        torch.set_num_threads(1)
        self.check_model = self.checker(programs)

    def checker(self, programs):
        return programs.random_checker()

    def model(self, number):
        import random_models

        return random_models.case(number, wide=True)

    def check(self, number):
        from oracle import options_of

        case = self.model(number)
        try:
            problem = self.check_model(case, number)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        problems = [problem, shlex.join(options_of(case)), case.spec] if problem else []
        return {"models": 1}, problems
