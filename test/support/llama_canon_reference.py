"""LlamaCanon in PyTorch, written from the description of the architecture alone ("Physics of Language Models: Part
4.1", sections on Canon layers and models). It shares no code with the compiler and follows the published layout:
Conv1d weights, half-split rotary positions, one convolution over the concatenated q, k, v and over gate and up.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return self.weight * x / torch.sqrt((x**2).mean(dim=-1, keepdim=True) + self.eps)


class Canon(nn.Module):
    """A causal depthwise Conv1d over time, its bias and activation inside the residual; the last tap multiplies the current
    token."""

    def __init__(self, width, c):
        super().__init__()
        kernel = c["canon_kernel"]
        self.conv = nn.Conv1d(width, width, kernel, groups=width, bias=c["canon_bias"], padding=kernel - 1)
        self.activation = {"none": nn.Identity(), "silu": nn.SiLU()}[c["canon_activation"]]
        self.residual = c["canon_residual"]

    def forward(self, x):
        y = self.activation(self.conv(x.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2))
        return x + y if self.residual else y


def rotate_pairs(x, theta):
    """x: [batch, heads, time, dims]; neighbours are the parts of a complex number, which turns."""
    frequencies = theta ** (-torch.arange(0, x.shape[3], 2, dtype=torch.float64) / x.shape[3])
    turns = torch.outer(torch.arange(x.shape[2], dtype=torch.float64), frequencies)
    numbers = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(numbers * torch.polar(torch.ones_like(turns), turns)).flatten(-2)


def rotate(x, dims, theta, style):
    """x: [batch, heads, time, head_dim]; the first `dims` dimensions turn: halves against each other, or neighbours."""
    if dims == 0:
        return x
    if style == "interleaved":
        return torch.cat((rotate_pairs(x[..., :dims], theta), x[..., dims:]), dim=-1)
    inverse = 1.0 / theta ** (torch.arange(0, dims, 2, dtype=torch.float64) / dims)
    angles = torch.outer(torch.arange(x.shape[2], dtype=torch.float64), inverse)
    angles = torch.cat((angles, angles), dim=-1)
    turned, kept = x[..., :dims], x[..., dims:]
    half = torch.cat((-turned[..., dims // 2 :], turned[..., : dims // 2]), dim=-1)
    turned = turned * angles.cos().to(x.dtype) + half * angles.sin().to(x.dtype)
    return torch.cat((turned, kept), dim=-1)


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = c["heads"], c["kv_heads"], c["dim"] // c["heads"]
        self.rope = int(c["rotary_fraction"] * self.head_dim), c["rotary_theta"], c["rotary_style"]
        q_width, kv_width = c["dim"], self.kv_heads * self.head_dim
        self.q_proj = nn.Linear(c["dim"], q_width, bias=False)
        self.k_proj = nn.Linear(c["dim"], kv_width, bias=False)
        self.v_proj = nn.Linear(c["dim"], kv_width, bias=False)
        self.o_proj = nn.Linear(q_width, c["dim"], bias=False)
        if c["qk_norm"] == "whole":
            self.q_norm, self.k_norm = Norm(q_width, c["norm_eps"]), Norm(kv_width, c["norm_eps"])
        if "A" in c["canon_at"]:
            self.canon_a = Canon(c["dim"], c)
        if "B" in c["canon_at"]:
            self.canon_b = Canon(q_width + 2 * kv_width, c)

    def forward(self, x):
        if hasattr(self, "canon_a"):
            x = self.canon_a(x)
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        if hasattr(self, "q_norm"):
            q, k = self.q_norm(q), self.k_norm(k)
        if hasattr(self, "canon_b"):
            q, k, v = self.canon_b(torch.cat((q, k, v), -1)).split((q.shape[-1], k.shape[-1], v.shape[-1]), -1)
        batch, length, width = q.shape
        q = q.view(batch, length, self.heads, self.head_dim).transpose(1, 2)
        k = k.view(batch, length, self.kv_heads, self.head_dim).transpose(1, 2)
        v = v.view(batch, length, self.kv_heads, self.head_dim).transpose(1, 2)
        q, k = rotate(q, *self.rope), rotate(k, *self.rope)
        k = k.repeat_interleave(self.heads // self.kv_heads, dim=1)
        v = v.repeat_interleave(self.heads // self.kv_heads, dim=1)
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.head_dim)
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        y = scores.masked_fill(future, float("-inf")).softmax(-1) @ v
        return self.o_proj(y.transpose(1, 2).reshape(batch, length, width))


class MLP(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.activation = {"silu": F.silu, "relu2": lambda x: F.relu(x) ** 2}[c["activation"]]
        self.up_proj = nn.Linear(c["dim"], c["ffn"], bias=False)
        self.down_proj = nn.Linear(c["ffn"], c["dim"], bias=False)
        gated = c["mlp_kind"] == "gated"
        if gated:
            self.gate_proj = nn.Linear(c["dim"], c["ffn"], bias=False)
        if "C" in c["canon_at"]:
            self.canon_c = Canon(c["dim"], c)
        if "D" in c["canon_at"]:
            self.canon_d = Canon(c["ffn"] * (2 if gated else 1), c)

    def forward(self, x):
        if hasattr(self, "canon_c"):
            x = self.canon_c(x)
        hidden = self.up_proj(x)
        if hasattr(self, "gate_proj"):
            hidden = torch.cat((self.gate_proj(x), hidden), -1)
        if hasattr(self, "canon_d"):
            hidden = self.canon_d(hidden)
        if hasattr(self, "gate_proj"):
            gate, up = hidden.chunk(2, -1)
            return self.down_proj(self.activation(gate) * up)
        return self.down_proj(self.activation(hidden))


class Layer(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.attention_norm, self.attention = Norm(c["dim"], c["norm_eps"]), Attention(c)
        self.mlp_norm, self.mlp = Norm(c["dim"], c["norm_eps"]), MLP(c)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class LlamaCanon(nn.Module):
    """`config`: the parameters of models/llama.stretto that the paper has, by the same names."""

    def __init__(self, **config):
        super().__init__()
        c = {"heads": max(1, config["dim"] // 64), "mlp_kind": "gated", "activation": "silu", "rotary_fraction": 1.0,
             "qk_norm": "none", "tied": False, "canon_at": "ABCD", "canon_kernel": 4, "canon_residual": True, "canon_bias": False,
             "canon_activation": "none", "rotary_theta": 10000.0, "rotary_style": "half_split", "norm_eps": 1e-5} | config
        c.setdefault("kv_heads", c["heads"])
        c.setdefault("ffn", 8 * c["dim"] // 3 // 8 * 8 if c["mlp_kind"] == "gated" else 4 * c["dim"])
        self.embed = nn.Embedding(c["vocab"], c["dim"])
        self.layers = nn.ModuleList(Layer(c) for _ in range(c["layers"]))
        self.norm = Norm(c["dim"], c["norm_eps"])
        self.head = nn.Linear(c["dim"], c["vocab"], bias=False)
        if c["tied"]:
            self.head.weight = self.embed.weight
        for module in self.modules():  # Canon keeps the initialisation of Conv1d, everything else has 0.02
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, 0.0, 0.02)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


# Ends of the names above, and what models/llama.stretto calls the same weight.
NAMES = {
    "embed.weight": "embedding",
    "attention_norm.weight": "attention.h.weight",
    "attention.canon_a.conv.weight": "attention.h_canon.weight",
    "attention.q_proj.weight": "attention.q.weight",
    "attention.k_proj.weight": "attention.k.weight",
    "attention.v_proj.weight": "attention.v.weight",
    "attention.q_norm.weight": "attention.q_rms_norm.weight",
    "attention.k_norm.weight": "attention.k_rms_norm.weight",
    "attention.canon_b.conv.weight": "attention.canon.weight",
    "attention.o_proj.weight": "attention.o.weight",
    "mlp_norm.weight": "mlp.h.weight",
    "mlp.canon_c.conv.weight": "mlp.h_canon.weight",
    "mlp.gate_proj.weight": "mlp.gate.weight",
    "mlp.up_proj.weight": "mlp.up.weight",
    "mlp.canon_d.conv.weight": "mlp.canon.weight",
    "mlp.down_proj.weight": "mlp.down.weight",
}


def stretto_name(name, model):
    """The name of a weight of LlamaCanon in models/llama.stretto."""
    if not name.startswith("layers."):
        return NAMES.get(name, name)
    _, layer, rest = name.split(".", 2)
    is_gated = hasattr(model.layers[int(layer)].mlp, "gate_proj")
    owner, _, kind = rest.rpartition(".")
    if owner == "mlp.canon_d.conv" and not is_gated:
        return f"layers.{layer}.mlp.up_canon.{kind}"  # of one value, not of two side by side
    return f"layers.{layer}.{NAMES[f'{owner}.weight'].removesuffix('weight')}{kind}"


def to_stretto(tensors, model):
    """Weights (or gradients) of a LlamaCanon by our names and in our layout: taps are [kernel, columns], the one of the
    current token first."""
    result = {}
    for name, value in tensors.items():
        result[stretto_name(name, model)] = value[:, 0].T[::-1] if name.endswith("conv.weight") else value
    return result


def from_stretto(tensors, model):
    """The state_dict of a LlamaCanon for weights by our names."""
    result = {}
    for name in model.state_dict():
        source = "embedding" if name == "head.weight" and name not in tensors else stretto_name(name, model)
        value = tensors[source]
        result[name] = value.flip(0).T.unsqueeze(1) if name.endswith("conv.weight") else value
    return result
