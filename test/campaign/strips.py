"""Random models whose rows are so wide that matmuls and what lies in them are cut into strips of columns, compiled, against
PyTorch in f64: the loss, all gradients and an evaluation. Case i is the model of seed i."""
from specs import Specs

CASES, SHORT = 2000, 4


class Strips(Specs):
    def checker(self, programs):
        return programs.checker(unfused=10)

    def model(self, number):
        import random_models
        from random_specs import WIDE

        return random_models.case(number, wide=True, sizes=WIDE)
