"""The PyTorch side: Llama with or without Canon layers, written as a careful user would write it for speed.

Matmuls of one input are one Linear, the norm and attention are PyTorch's fused ones, rotary tables are made once.
Canon comes in two forms: `conv` (nn.Conv1d with one group per channel) and `shift` (padded and added rows).
"""
import torch
import torch.nn.functional as F
from torch import nn


class Canon(nn.Module):
    """x + causal depthwise convolution of width 4, or the convolution alone; taps are [4, width], that of the current token
    first."""

    def __init__(self, width, form, residual=True, bias=False):
        super().__init__()
        self.form, self.residual = form, residual
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None
        self.conv = nn.Conv1d(width, width, 4, groups=width, bias=False, padding=3)
        if form == "shift":
            self.taps = nn.Parameter(self.conv.weight.detach()[:, 0].T.flip(0).contiguous())
            del self.conv

    def forward(self, x):
        y = self.convolve(x) if self.bias is None else self.convolve(x) + self.bias
        return x + y if self.residual else y

    def convolve(self, x):
        length = x.shape[1]
        if self.form == "conv":
            return self.conv(x.transpose(1, 2))[..., :length].transpose(1, 2)
        y = x * self.taps[0]
        for lag in range(1, 4):
            y = y + F.pad(x, (0, 0, lag, 0))[:, :length] * self.taps[lag]
        return y

    def by_lag(self):
        return self.taps if self.form == "shift" else self.conv.weight[:, 0].T.flip(0)


def canon(width, form):
    return nn.Identity() if form == "none" else Canon(width, form)


class Attention(nn.Module):
    def __init__(self, dim, heads, form):
        super().__init__()
        self.heads = heads
        self.norm = nn.RMSNorm(dim, eps=1e-5)
        self.canon_in, self.canon_qkv = canon(dim, form), canon(3 * dim, form)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim, bias=False)

    def forward(self, x, cos, sin):
        batch, length, dim = x.shape
        qkv = self.canon_qkv(self.qkv(self.canon_in(self.norm(x))))
        q, k, v = qkv.view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(batch, length, dim))

    def weights(self):
        """By their names in the block of the .stretto file."""
        q, k, v = self.qkv.weight.chunk(3)
        found = {"h.weight": self.norm.weight, "q.weight": q, "k.weight": k, "v.weight": v, "o.weight": self.out.weight}
        if isinstance(self.canon_in, Canon):
            found |= {"h_canon.weight": self.canon_in.by_lag(), "canon.weight": self.canon_qkv.by_lag()}
        return found


def rotate(x, cos, sin):
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


class MLP(nn.Module):
    def __init__(self, dim, form, ffn):
        super().__init__()
        self.norm = nn.RMSNorm(dim, eps=1e-5)
        self.canon_in, self.canon_up = canon(dim, form), canon(2 * ffn, form)
        self.gate_up = nn.Linear(dim, 2 * ffn, bias=False)
        self.down = nn.Linear(ffn, dim, bias=False)

    def forward(self, x):
        gate, up = self.canon_up(self.gate_up(self.canon_in(self.norm(x)))).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)

    def weights(self):
        """By their names in the block of the .stretto file."""
        gate, up = self.gate_up.weight.chunk(2)
        found = {"h.weight": self.norm.weight, "gate.weight": gate, "up.weight": up, "down.weight": self.down.weight}
        if isinstance(self.canon_in, Canon):
            found |= {"h_canon.weight": self.canon_in.by_lag(), "canon.weight": self.canon_up.by_lag()}
        return found


class Llama(nn.Module):
    """form: none, conv or shift."""

    def __init__(self, dim, layers, length, vocabulary, form):
        super().__init__()
        heads = max(1, dim // 64)
        self.embedding = nn.Embedding(vocabulary, dim)
        self.attention = nn.ModuleList(Attention(dim, heads, form) for _ in range(layers))
        self.mlp = nn.ModuleList(MLP(dim, form, 8 * dim // 3 // 8 * 8) for _ in range(layers))
        self.norm = nn.RMSNorm(dim, eps=1e-5)
        self.head = nn.Linear(dim, vocabulary, bias=False)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, 0.0, 0.02)
        size = dim // heads
        angles = torch.outer(torch.arange(length), 10000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("cos", torch.cat((angles, angles), -1).cos())
        self.register_buffer("sin", torch.cat((angles, angles), -1).sin())

    def forward(self, tokens, targets):
        x = self.embedding(tokens)
        for attention, mlp in zip(self.attention, self.mlp):
            x = mlp(attention(x, self.cos, self.sin))
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), targets.flatten())

    def stretto_weights(self):
        """Every weight by its name in models/llama.stretto."""
        weights = {"embedding": self.embedding.weight, "norm.weight": self.norm.weight, "head.weight": self.head.weight}
        for i, blocks in enumerate(zip(self.attention, self.mlp)):
            for block, module in zip(("attention", "mlp"), blocks):
                weights |= {f"layers.{i}.{block}.{name}": value for name, value in module.weights().items()}
        return weights
