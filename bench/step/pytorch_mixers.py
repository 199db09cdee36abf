"""The PyTorch side of models with linear mixers: GLA, GDN and Mamba2 of generation 4.1, with or without convolutions,
written as a careful user would write them for speed: matmuls of one input are one, the mixers are in chunks.
"""
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn

from pytorch_model import MLP, Canon

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mixers"))
from pytorch import delta_rule, linear_attention  # noqa: E402


class Mixer(nn.Module):
    """One mixer block. A kind names its projections with their widths, those that its own convolution b covers first."""

    bias = False  # of b

    def __init__(self, dim, form):
        super().__init__()
        self.widths = self.projections(dim)
        convolved = sum(list(self.widths.values())[:3])
        self.norm = nn.RMSNorm(dim, eps=1e-5)
        self.canon_in = Canon(dim, form) if form != "none" else nn.Identity()
        self.b = Canon(convolved, form, residual=False, bias=self.bias) if form != "none" else None
        self.inputs = nn.Linear(dim, sum(self.widths.values()), bias=False)
        self.out = nn.Linear(self.value_width, dim, bias=False)
        self.convolved = convolved

    def forward(self, x):
        h = self.inputs(self.canon_in(self.norm(x)))
        h, rest = h.split((self.convolved, h.shape[-1] - self.convolved), -1)
        if self.b is not None:
            h = F.silu(self.b(h))
        elif self.silu_without_b:
            h = F.silu(h)
        widths = list(self.widths.values())
        return x + self.out(self.mix(*h.split(widths[:3], -1), *rest.split(widths[3:], -1)))

    def by_head(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def gated_norm(self, o, gate):
        norm = F.rms_norm(o.transpose(1, 2), o.shape[-1:], self.head_norm, 1e-5)
        return norm.flatten(2) * F.silu(gate)

    def weights(self):
        """By their names in the block of the .stretto file."""
        names = dict(zip(self.widths, self.inputs.weight.split(list(self.widths.values()))))
        found = {f"{name}.weight": weight for name, weight in names.items()}
        found |= {"h.weight": self.norm.weight, "out.weight": self.out.weight} | self.own_weights()
        if self.b is not None:
            found |= {"h_canon.weight": self.canon_in.by_lag(), "canon.weight": self.b.by_lag()}
            found |= {"canon.bias": self.b.bias} if self.bias else {}
        return found


class GLA(Mixer):
    heads, silu_without_b = 4, True

    def __init__(self, dim, form):
        self.key_width, self.value_width = dim // 2, dim
        super().__init__(dim, form)
        self.wide = nn.Linear(16, self.key_width)
        self.head_norm = nn.Parameter(torch.ones(self.value_width // self.heads))

    def projections(self, dim):
        return {"q": self.key_width, "k": self.key_width, "v": self.value_width, "low_rank.thin": 16, "gate": self.value_width}

    def mix(self, q, k, v, thin, gate):
        decay = F.logsigmoid(self.wide(thin)) / 16
        q, k, v, decay = map(self.by_head, (q, k, v, decay))
        return self.gated_norm(linear_attention(q, k, v, decay, None, q.shape[-1] ** -0.5), gate)

    def own_weights(self):
        return {"low_rank.wide.weight": self.wide.weight, "low_rank.wide.bias": self.wide.bias,
                "gated_norm.norm.weight": self.head_norm}  # fmt: skip


class GDN(Mixer):
    silu_without_b = True

    def __init__(self, dim, form):
        self.heads, self.key_width = max(1, dim // 128), 3 * dim // 4
        self.value_width = 2 * self.key_width
        super().__init__(dim, form)
        self.a_log = nn.Parameter(torch.rand(self.heads).add(0.01).mul(16).log())
        self.dt_bias = nn.Parameter(torch.full((self.heads,), -4.0))
        self.head_norm = nn.Parameter(torch.ones(self.value_width // self.heads))

    def projections(self, dim):
        return {"q": self.key_width, "k": self.key_width, "v": self.value_width, "linear": self.heads, "a": self.heads,
                "gate": self.value_width}  # fmt: skip

    def mix(self, q, k, v, beta, a, gate):
        decay = -self.a_log.exp() * F.softplus(a + self.dt_bias)
        q, k, v, decay, beta = map(self.by_head, (q, k, v, decay, beta.sigmoid()))
        q, k = (x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6) for x in (q, k))
        return self.gated_norm(delta_rule(q, k, v, decay, beta, q.shape[-1] ** -0.5), gate)

    def own_weights(self):
        return {"a_log": self.a_log, "dt_bias": self.dt_bias, "gated_norm.norm.weight": self.head_norm}


class Mamba2(Mixer):
    heads, state, bias, silu_without_b = 16, 64, True, False

    def __init__(self, dim, form):
        self.value_width = 2 * dim
        super().__init__(dim, form)
        self.a_log = nn.Parameter(torch.empty(self.heads).uniform_(1, 16).log())
        self.dt_bias = nn.Parameter(torch.full((self.heads,), -4.0))
        self.skip = nn.Parameter(torch.ones(self.heads))
        self.whole_norm = nn.RMSNorm(self.value_width, eps=1e-5)

    def projections(self, dim):
        return {"v": self.value_width, "k": self.state, "q": self.state, "gate": self.value_width, "dt": self.heads}

    def mix(self, v, k, q, gate, dt):
        step = F.softplus(dt + self.dt_bias)
        shared = lambda x: x.unsqueeze(1)  # one group: all heads have the same
        decay, step, v = map(self.by_head, (-self.a_log.exp() * step, step, v))
        o = linear_attention(shared(q), shared(k), v, decay, step, 1.0) + self.skip[:, None, None] * v
        return self.whole_norm(o.transpose(1, 2).flatten(2) * F.silu(gate))

    def own_weights(self):
        return {"a_log": self.a_log, "dt_bias": self.dt_bias, "skip": self.skip, "norm.weight": self.whole_norm.weight}


class MixerModel(nn.Module):
    """Blocks of a mixer and a gated MLP, or mixers alone. form: none, conv or shift."""

    def __init__(self, kind, dim, layers, vocabulary, form, has_mlp=True):
        super().__init__()
        ffn = 8 * dim // 3 // 8 * 8 if kind is GLA else 2 * dim
        self.embedding = nn.Embedding(vocabulary, dim)
        self.mixer = nn.ModuleList(kind(dim, form) for _ in range(layers))
        self.mlp = nn.ModuleList(MLP(dim, form, ffn) if has_mlp else nn.Identity() for _ in range(layers))
        self.norm = nn.RMSNorm(dim, eps=1e-5)
        self.head = nn.Linear(dim, vocabulary, bias=False)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, 0.0, 0.02)

    def forward(self, tokens, targets):
        x = self.embedding(tokens)
        for mixer, mlp in zip(self.mixer, self.mlp):
            x = mlp(mixer(x))
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())

    def stretto_weights(self):
        """Every weight by its name in the .stretto file."""
        weights = {"x.weight": self.embedding.weight, "norm.weight": self.norm.weight, "head.weight": self.head.weight}
        for i, blocks in enumerate(zip(self.mixer, self.mlp)):
            for block, module in zip(("mixer", "canon_mlp"), blocks):
                weights |= {f"layers.{i}.{block}.{name}": value for name, value in module.weights().items()}
        return weights


KINDS = {"gla": GLA, "gdn": GDN, "mamba2": Mamba2}
