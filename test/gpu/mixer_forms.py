"""That PyTorch's chunk forms of mixers are their recurrences, forward and backward.

REQUIRES: runtime
RUN: %python %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
import torch
from chains import Chain
from mixer_chains import NAMES, MixerOperands, by_head, scale_of
from mixer_check import Reference, of_form, relative

torch.manual_seed(0)
SETTINGS = {"batch": 2, "length": 128, "heads": 4, "keys": 8, "values": 6, "groups": 4}


def recurrence(operands):
    """Token by token, as docs/language.md has it."""
    settings = operands.settings
    leaves = [x.detach().double().requires_grad_() for x in operands.sets[0]]
    q, k, v, decay, *strength = (by_head(x, settings["heads"]) for x in leaves)
    state, rows = torch.zeros(*q.shape[:2], q.shape[3], v.shape[3], dtype=torch.float64), []
    for t in range(settings["length"]):
        state = decay[:, :, t].exp().unsqueeze(-1) * state
        written = v[:, :, t] * (strength[0][:, :, t] if strength else 1)
        if settings["site"] == "gdn":
            written = written - strength[0][:, :, t] * torch.einsum("bhk,bhkv->bhv", k[:, :, t], state)
        state = state + k[:, :, t].unsqueeze(-1) * written.unsqueeze(-2)
        rows.append(scale_of(settings) * torch.einsum("bhk,bhkv->bhv", q[:, :, t], state))
    out = torch.stack(rows, 2).transpose(1, 2)
    return dict(zip(("out", *operands.names), (out, *torch.autograd.grad(out, leaves, operands.gradients[0][0].double()))))


for site in NAMES:
    operands = MixerOperands(SETTINGS | {"site": site, "groups": 2 if site == "ssd" else 4}, 2, "cpu")
    found, expected = of_form(operands, "chunks", torch.float64), recurrence(operands)
    for name, right in expected.items():
        if relative(found[name], right) > 1e-12:
            sys.exit(f"{name} of {site} is {relative(found[name], right):.1e} away from the recurrence")
    for way in ("forward", "both"):
        Chain(operands, "chunks", False).run(way)
    reference = Reference(operands)
    if not all(1e-4 < error < 3e-2 for error in reference.errors.values()):
        sys.exit(f"the chunk form of {site} with bf16 is not as far from f64 as bf16 is: {reference.errors}")
    reference.check_form("chunks")
    wrong = of_form(operands, "chunks", None)
    wrong["k"] = 1.1 * wrong["k"]
    try:
        reference.check(site, wrong, NAMES[site])
    except RuntimeError as problem:
        if "the gradient of k is " in str(problem):
            continue
    sys.exit(f"a gradient of {site} that is a tenth too large passes")
