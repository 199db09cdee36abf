"""The mixers of mixers.stretto in PyTorch: by chunks, and by the packages fla and mamba_ssm where they are installed."""
import os
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mixers"))
import pytorch
from chains import installed

# Operands of a site in the order in which kernels take them; the last of gdn and ssd is what v is multiplied by.
NAMES = {"gla": ("q", "k", "v", "decay"), "gdn": ("q", "k", "v", "decay", "beta"), "ssd": ("q", "k", "v", "decay", "step")}
PACKAGES = {"gla": {"fla": "fla"}, "gdn": {"fla": "fla"}, "ssd": {"fla": "fla", "mamba-ssm": "mamba_ssm"}}
LAUNCHED_TOKENS = 8192  # up to which a call takes about as long as its launches from Python


def scale_of(settings):
    return 1.0 if settings["site"] == "ssd" else settings["keys"] ** -0.5


def by_head(x, heads):
    """[batch, time, heads or groups, ...] -> [batch, heads, time, columns]."""
    x = x.unsqueeze(-1) if x.dim() == 3 else x
    return x.repeat_interleave(heads // x.shape[2], 2).transpose(1, 2)


def by_chunks(settings):
    """The chunk form, its matmuls of bf16 operands in bf16. Of long sequences the chunks are longer, so that the loop is not."""
    chunk, scale = 64 if settings["length"] <= 4096 else 256, scale_of(settings)
    function = pytorch.delta_rule if settings["site"] == "gdn" else pytorch.linear_attention

    def site(q, k, v, decay, strength=None):
        operands = [None if each is None else by_head(each, settings["heads"]) for each in (q, k, v, decay, strength)]
        with torch.autocast(q.device.type, torch.bfloat16, enabled=q.dtype == torch.bfloat16):
            return (function(*operands, scale, chunk).transpose(1, 2).to(q.dtype),)

    return site


def by_fla(settings):
    """Heads of a group get copies of keys and queries: fla's simple_gla has no groups."""
    scale, heads = scale_of(settings), settings["heads"]
    if settings["site"] == "gla":
        from fla.ops.gla import chunk_gla

        return lambda q, k, v, decay: chunk_gla(q, k, v, decay, scale=scale)[:1]
    if settings["site"] == "gdn":
        from fla.ops.gated_delta_rule import chunk_gated_delta_rule

        return lambda q, k, v, decay, beta: chunk_gated_delta_rule(q, k, v, decay, beta, scale=scale)[:1]
    from fla.ops.simple_gla import chunk_simple_gla

    def site(q, k, v, decay, step):
        q, k = (x.repeat_interleave(heads // x.shape[2], 2) for x in (q, k))
        return chunk_simple_gla(q, k, (step.unsqueeze(-1) * v).to(v.dtype), decay, scale=scale)[:1]

    return site


def by_mamba(settings):
    """Decay is -step here: mamba_ssm has one factor of each head for it."""
    from mamba_ssm.ops.triton.ssd_combined import mamba_chunk_scan_combined

    def site(q, k, v, decay, step):
        rate = torch.full((settings["heads"],), -1.0, device=q.device)
        return (mamba_chunk_scan_combined(v, step, rate, k, q, chunk_size=256),)

    return site


FORMS = {"chunks": by_chunks, "fla": by_fla, "mamba-ssm": by_mamba}


class MixerOperands:
    """Some sets of what goes into a site of mixers.stretto, forward and backward: [batch, time, heads (groups), columns]."""

    def __init__(self, settings, sets, device):
        self.settings, self.names = settings, NAMES[settings["site"]]
        self.sets = [self.random_set(device) for _ in range(sets)]
        values = self.sets[0][2]
        self.gradients = [[torch.randn_like(values)] for _ in range(sets)]

    def random_set(self, device):
        settings = self.settings
        normal = lambda heads, *columns: torch.randn(settings["batch"], settings["length"], heads, *columns, device=device)
        heads, groups, keys = settings["heads"], settings["groups"], settings["keys"]
        q, k, v = normal(groups, keys), F.normalize(normal(groups, keys), dim=-1), normal(heads, settings["values"])
        operands = [x.bfloat16() for x in (q, k, v)]
        if settings["site"] == "gla":
            operands.append(F.logsigmoid(normal(heads, keys)) / 16)
        else:
            strength = torch.sigmoid(normal(heads))
            decay = -strength if settings["site"] == "ssd" else F.logsigmoid(normal(heads)) / 16
            operands += [decay, strength]
        return tuple(x.requires_grad_() for x in operands)

    def function(self, form):
        return FORMS[form](self.settings)

    def leaves(self, operands):
        """Those of a set that have a gradient."""
        return operands

    def forms(self, small):
        """[(form, how)], what compiles last. "launched": from Python each time, not in a graph. `small`: nothing that compiles."""
        settings = self.settings
        is_short = settings["batch"] * settings["length"] <= LAUNCHED_TOKENS
        hows = ("eager", "eager-launched") if is_short else ("eager",)
        found = [(form, how) for form in ("chunks", *installed(PACKAGES[settings["site"]])) for how in hows]
        return found + ([] if small else [("chunks", how.replace("eager", "compiled")) for how in hows])
