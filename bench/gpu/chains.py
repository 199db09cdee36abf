"""The sites of sites.stretto in PyTorch, as bench/step/pytorch_model.py has them; Canon by one of several forms."""
import importlib.util
import os
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "step"))
from pytorch_model import rotate

PACKAGES = {"causal-conv1d": "causal_conv1d", "fla": "fla"}


def installed(packages):
    """Of forms and the packages they need, those that are there."""
    return [form for form, package in packages.items() if importlib.util.find_spec(package)]


def by_conv1d(x, taps):
    return F.conv1d(x.transpose(1, 2), taps[:, None], padding=taps.shape[1] - 1, groups=taps.shape[0])[
        ..., : x.shape[1]].transpose(1, 2)  # fmt: skip


def by_shifts(x, taps):
    y = x * taps[:, -1]
    for lag in range(1, taps.shape[1]):
        y = y + F.pad(x, (0, 0, lag, 0))[:, : x.shape[1]] * taps[:, -1 - lag]
    return y


def convolution(form, residual):
    """(x [batch, length, width], taps [width, kernel], the current position last) -> the convolution, with x added where asked."""
    if form == "fla":
        from fla.modules.convolution import causal_conv1d

        return lambda x, taps: causal_conv1d(x, taps, residual=x if residual else None)[0]
    plain = {"conv": by_conv1d, "shift": by_shifts}.get(form)
    if form == "causal-conv1d":
        from causal_conv1d import causal_conv1d_fn

        plain = lambda x, taps: causal_conv1d_fn(x.transpose(1, 2), taps).transpose(1, 2)
    return (lambda x, taps: x + plain(x, taps)) if residual else plain


def conv_site(form):
    mix = convolution(form, False)
    return lambda x, taps: (mix(x, taps),)


def norm_site(form):
    mix = convolution(form, True)

    return lambda x, gain, taps: (mix(F.rms_norm(x, gain.shape, gain, 1e-5), taps),)


def rotary_site(form):
    mix = convolution(form, True)

    def site(x, cos, sin, taps):
        heads = x.shape[2] // 3 // cos.shape[1]
        q, k, v = mix(x, taps).view(*x.shape[:2], 3, heads, -1).permute(2, 0, 3, 1, 4)
        return rotate(q, cos, sin), rotate(k, cos, sin), v

    return site


def gate_site(form):
    mix = convolution(form, True)

    def site(x, taps):
        gate, up = mix(x, taps).chunk(2, -1)
        return (F.silu(gate) * up,)

    return site


SITES = {"conv": conv_site, "norm": norm_site, "rotary": rotary_site, "gate": gate_site}


class Operands:
    """Some sets of what goes into a site of sites.stretto, forward and backward."""

    def __init__(self, settings, sets, device):
        self.site, dim = settings["site"], settings["dim"]
        length, width = settings["length"], settings["width"]
        random = lambda *shape: torch.randn(*shape, device=device, dtype=torch.bfloat16)
        taps, gain = random(width, 4).requires_grad_(), random(dim).requires_grad_()
        head = dim // settings["heads"]
        more = {"norm": (gain, taps), "rotary": (random(length, head), random(length, head), taps)}.get(self.site, (taps,))
        self.weights = (gain, taps) if self.site == "norm" else (taps,)
        self.sets = []
        for _ in range(sets):
            x = random(settings["batch"], length, width).requires_grad_()
            self.sets.append((x, *more))
        function = self.function("conv")
        self.gradients = [[torch.randn_like(y) for y in function(*operands)] for operands in self.sets]

    def function(self, form):
        return SITES[self.site](form)

    def leaves(self, operands):
        """Those of a set that have a gradient."""
        return operands[0], *self.weights

    def forms(self, small):
        """[(form, how)]. conv: PyTorch's conv1d; shift: rows that are padded and added; at last the packages that are installed,
        whose tuning may take long. `small`: nothing that compiles."""
        hows = ("eager",) if small else ("eager", "compiled")
        return [(form, how) for group in (["conv", "shift"], installed(PACKAGES)) for how in hows for form in group]


class Chain:
    """A site on all sets of operands in turn."""

    def __init__(self, operands, form, compiled):
        self.operands, self.function = operands, operands.function(form)
        if compiled:
            self.function = torch.compile(self.function, dynamic=False)

    def run(self, way):
        """forward, or both: as in a step, all sets go forward before the first goes backward."""
        operands = self.operands
        results = [self.function(*each) for each in operands.sets]
        if way == "both":
            for each, gradients in zip(operands.sets, operands.gradients):
                torch.autograd.grad(results.pop(0), operands.leaves(each), gradients, allow_unused=True)
