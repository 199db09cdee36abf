"""That the PyTorch forms of a site compute the same, forward and backward, and depend on no later position.

REQUIRES: runtime
RUN: %python %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
import torch
from chains import SITES, Chain, Operands

torch.manual_seed(0)
SETTINGS = {"dim": 16, "heads": 2, "batch": 2, "length": 7}
WIDTHS = {"conv": 16, "norm": 16, "rotary": 48, "gate": 20}


def widened(operands):
    """In f64, so that only what is computed can differ."""
    wide = lambda t: t.detach().double().requires_grad_(t.requires_grad)
    shared = {id(t): wide(t) for each in operands.sets for t in each}
    operands.sets = [tuple(shared[id(t)] for t in each) for each in operands.sets]
    operands.weights = tuple(shared[id(t)] for t in operands.weights)
    operands.gradients = [[g.double() for g in each] for each in operands.gradients]
    return operands


def results(site, operands, form):
    function, found = SITES[site](form), []
    for each, gradients in zip(operands.sets, operands.gradients):
        outputs = function(*each)
        found += [*outputs, *torch.autograd.grad(outputs, (each[0], *operands.weights), gradients)]
    return found


for site, width in WIDTHS.items():
    operands = widened(Operands(SETTINGS | {"site": site, "width": width}, 2, "cpu"))
    a, b = (results(site, operands, form) for form in ("conv", "shift"))
    if not all(x.shape == y.shape and torch.allclose(x, y) for x, y in zip(a, b, strict=True)):
        sys.exit(f"the forms of {site} differ")
    for way in ("forward", "both"):
        Chain(operands, "shift", False).run(way)
    changed = [t.detach().clone() for t in operands.sets[0]]
    changed[0][:, 5:] += 1
    before, after = (SITES[site]("conv")(*each) for each in (operands.sets[0], changed))
    rows = lambda y: y.transpose(1, 2) if site == "rotary" else y
    if not all(torch.allclose(rows(x)[:, :5], rows(y)[:, :5]) and not torch.allclose(x, y) for x, y in zip(before, after)):
        sys.exit(f"{site} looks ahead, or at nothing")
