"""That our kernels of a mixer, and the packages PyTorch's forms come from, compute what the chunk form does in f64."""
import torch


def relative(found, expected):
    return ((found.double() - expected).norm() / expected.norm()).item()


def of_form(operands, form, dtype):
    """The result and the gradients of a form on the first set, by name; gradients it does not have are left out."""
    wide = lambda x: x.detach().to(dtype or x.dtype)
    leaves = [wide(x).requires_grad_() for x in operands.sets[0]]
    out = operands.function(form)(*leaves)
    gradients = torch.autograd.grad(out, leaves, [wide(operands.gradients[0][0])], allow_unused=True)
    return {name: x.detach() for name, x in zip(("out", *operands.names), (*out, *gradients)) if x is not None}


class Reference:
    """What is right, and how far PyTorch's chunk form with its matmuls in bf16 is from that."""

    TIMES, MORE = 3.0, 2e-3  # others may be so many times as far, and a little more

    def __init__(self, operands):
        self.operands, self.expected = operands, of_form(operands, "chunks", torch.float64)
        plain = of_form(operands, "chunks", None)
        self.errors = {name: relative(plain[name], right) for name, right in self.expected.items()}

    def check(self, what, found, names):
        """The errors of what was found, by name; raises where one is too large."""
        errors = {name: relative(found[name], self.expected[name]) for name in names}
        for name, error in errors.items():
            if not error <= self.TIMES * self.errors[name] + self.MORE:
                part = name if name == "out" else f"the gradient of {name}"
                raise RuntimeError(f"{what}: {part} is {error:.1e} of its norm away from f64, PyTorch's chunk form "
                                   f"{self.errors[name]:.1e}")  # fmt: skip
        return errors

    def check_form(self, form):
        """What a form shares with the chunk form; one that has no decay of its own is checked by its result alone."""
        found = of_form(self.operands, form, None)
        return self.check(form, found, found if found.keys() == self.expected.keys() else ["out"])

    def check_kernels(self, kernels):
        for way in ("forward", "backward"):
            kernels.run(way)
        found = dict(kernels.results[0])
        for name in self.operands.names:
            found[name] = found[name].float().sum(3)
        return self.check("stretto", found, list(self.expected))
