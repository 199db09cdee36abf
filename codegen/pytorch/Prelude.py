# What emitted modules are made of. Each piece between two blank lines at column 0 is written out if it is needed.
import json
import os

import torch
import torch.nn.functional as F
from torch import nn


def rms_norm(x, gain, eps, heads=1):
    """x / sqrt(mean(x^2) + eps) * gain, over each of `heads` equal parts of the columns."""
    x = x.unflatten(-1, (heads, -1))
    return (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * gain).flatten(-2)


def layer_norm(x, gain, bias, eps, heads=1):
    """(x - mean(x)) / sqrt(variance(x) + eps) * gain + bias, over each of `heads` equal parts of the columns."""
    x = x.unflatten(-1, (heads, -1))
    return F.layer_norm(x, x.shape[-1:], gain, bias, eps).flatten(-2)


def l2_norm(x, eps, heads=1):
    """x / sqrt(sum(x^2) + eps), over each of `heads` equal parts of the columns."""
    x = x.unflatten(-1, (heads, -1))
    return (x * torch.rsqrt(x.square().sum(-1, keepdim=True) + eps)).flatten(-2)


def heaviside(x):
    """1 where x is above 0, elsewhere 0."""
    return (x > 0).to(x.dtype)


def token_loss(logits, targets):
    """The negative log-likelihood of each target, [batch, time, 1]."""
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(*targets.shape, 1)


def keep_top(x, count, heads=1):
    """x where it is among the `count` largest of each of `heads` equal parts of the columns, of equal ones the first;
    zero elsewhere."""
    x = x.unflatten(-1, (heads, -1))
    kept = x.sort(dim=-1, descending=True, stable=True).indices[..., :count]
    return (x * torch.zeros_like(x).scatter(-1, kept, 1.0)).flatten(-2)


def rows_of_experts(gates, chosen):
    """For each expert the rows that go to it, and of these the number of the expert among those of the row: a row goes to
    the experts whose gates are not zero, to the first `chosen` of them if these are more."""
    goes = gates.flatten(0, -2) != 0
    places = goes.cumsum(-1) - 1
    for expert in range(gates.shape[-1]):
        rows = (goes[:, expert] & (places[:, expert] < chosen)).nonzero().squeeze(-1)
        yield rows, places[rows, expert]


def expert_linear(x, gates, weight, chosen):
    """x W^T by the weights of the experts that a row goes to, one below the other in `weight`: parts of the result, in the order
    of experts; zero where a row goes to fewer."""
    weights = weight.unflatten(0, (gates.shape[-1], -1))
    flat = x.flatten(0, -2)
    y = flat.new_zeros(flat.shape[0], chosen, weights.shape[1])
    for (rows, places), w in zip(rows_of_experts(gates, chosen), weights):
        y = y.index_put((rows, places), F.linear(flat[rows], w).to(y.dtype))
    return y.view(*x.shape[:-1], -1)


def expert_sum(x, gates, weight, chosen):
    """The sum of gate * x W^T over the experts that a row goes to, each of its own part of x."""
    weights = weight.unflatten(0, (gates.shape[-1], -1))
    parts, factors = x.flatten(0, -2).unflatten(-1, (chosen, -1)), gates.flatten(0, -2)
    y = parts.new_zeros(parts.shape[0], weights.shape[1])
    for expert, ((rows, places), w) in enumerate(zip(rows_of_experts(gates, chosen), weights)):
        y = y.index_add(0, rows, (factors[rows, expert, None] * F.linear(parts[rows, places], w)).to(y.dtype))
    return y.view(*x.shape[:-1], -1)


def kind_of(like):
    """Type and device of a tensor, or of the weights of a module."""
    like = next(like.parameters()) if isinstance(like, nn.Module) else like
    return {"dtype": torch.get_default_dtype()} if like is None else {"dtype": like.dtype, "device": like.device}


def numbers(count, like):
    """0, 1, ..., count - 1, of the kind of `like`."""
    return torch.arange(count, **kind_of(like))


def layer_numbers(values, like):
    """A number for each layer, [layers, 1], of the kind of `like`."""
    return torch.tensor(values, **kind_of(like)).unsqueeze(-1)


def full(width, value, rows, like):
    """A number in each column at the positions of `rows`, of the kind of `like`."""
    return torch.full((*rows.shape[:2], width), value, **kind_of(like))


def keys_of_dropout(seed, first, batch, length):
    """Keys of the tokens of sequences first, first + 1, ... among all that training from this seed has: of each token the high
    word of what SplitMix64 gives, begun at scramble(seed), for its number."""
    def scramble(z):
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    state, token = scramble(seed), first * length
    keys = [scramble((state + (token + i + 1) * 0x9E3779B97F4A7C15) % 2**64) >> 32 for i in range(batch * length)]
    return torch.tensor(keys).view(batch, length)


def dropout(x, place, rate, keys):
    """x / (1 - rate), or zero with the probability `rate`, by a hash of the key of the token, the place and the column. Without
    keys x."""
    if keys is None:
        return x
    word, scale = 0xFFFFFFFF, 1 / (1 - rate)

    def scramble(x, added=0):
        x = (x ^ x >> 16) * 0x21F0AAAD & word
        x = ((x ^ x >> 15) + added & word) * 0xD35A2D97 & word
        return x ^ x >> 15

    place = torch.as_tensor(place, device=x.device).to(torch.int64)
    a = scramble((keys.to(x.device)[..., None] ^ place * 0x9E3779B9) & word)
    b = scramble(a + 0x9E3779B9 & word)
    drawn = scramble(a ^ torch.arange(x.shape[-1], device=x.device), b)
    return torch.where(drawn < min(int(rate * 2**32 + 0.5), word), 0.0, scale * x)


def shift(x, steps, positions=None):
    """Position t of the result is position t - steps of x, zero where there is none, or another document's."""
    length = x.shape[1]
    if positions is not None:
        at = positions if steps > 0 else F.pad(positions, (0, -steps))[:, -steps:]
        x = shift(x, steps)
        return x.masked_fill((at < abs(steps))[..., None], 0.0)
    if steps < 0:
        return F.pad(x, (0, 0, 0, -steps))[:, -steps:]
    return F.pad(x, (0, 0, steps, 0))[:, :length]


def canon(x, weight, bias=None, residual=False, activation=None, positions=None):
    """A causal depthwise convolution over neighbours: row k of the weight multiplies the position k steps back. The
    residual is x itself: neither bias nor activation change it."""
    y = sum(taps * shift(x, k, positions) for k, taps in enumerate(weight))
    if bias is not None:
        y = y + bias
    if activation is not None:
        y = activation(y)
    return x + y if residual else y


def rotary_turns(length, rotated, theta, like, positions=None):
    """cos and sin of t * theta^(-2p/rotated), [time, rotated / 2], of the type and on the device of a tensor. Documents begin
    at t = 0: [batch, 1, time, rotated / 2] then."""
    time = torch.arange(length, dtype=torch.float64, device=like.device)
    if positions is not None:
        time = positions[:, None].to(time.dtype)
    pair = torch.arange(rotated // 2, dtype=torch.float64, device=like.device)
    angle = time[..., None] * theta ** (-2 * pair / rotated)
    return angle.cos().to(like.dtype), angle.sin().to(like.dtype)


def rotary(x, heads, rotated, rotated_heads, theta, interleaved=False, positions=None):
    """Turns pairs among the first `rotated` columns of the first `rotated_heads` heads by t * theta^(-2p/rotated)."""
    cos, sin = rotary_turns(x.shape[1], rotated, theta, x, positions)
    x = x.unflatten(-1, (heads, -1)).transpose(1, 2)  # [batch, heads, time, columns of a head]
    turned, rest = x[:, :rotated_heads, :, :rotated], x[:, :rotated_heads, :, rotated:]
    a, b = (turned[..., 0::2], turned[..., 1::2]) if interleaved else turned.chunk(2, -1)
    a, b = a * cos - b * sin, b * cos + a * sin
    turned = torch.stack((a, b), -1).flatten(-2) if interleaved else torch.cat((a, b), -1)
    x = torch.cat((torch.cat((turned, rest), -1), x[:, rotated_heads:]), 1)
    return x.transpose(1, 2).flatten(-2)


def capped_attention(q, k, v, cap, scale, mask=None):
    """Of heads first; a mask says what is seen, or is added to scores."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = cap * torch.tanh(q @ k.transpose(-1, -2) * (scale / cap))
    if mask is not None and mask.dtype == torch.bool:
        scores = scores.masked_fill(~mask, -torch.inf)
    elif mask is not None:
        scores = scores + mask
    return scores.softmax(-1) @ v


def softmax_attention(
    q, k, v, heads, kv_heads, scale, causal=True, window=None, alibi=False, cap=None, sinks=None, decay=None, bias=None,
    positions=None,
):
    """Softmax attention; query head h reads key/value head h // (heads // kv_heads). With a window, a token sees itself
    and window - 1 tokens before it; with a cap, a score is cap * tanh(score / cap); alibi takes 2^(-8 (h + 1) / heads) times
    their distance from the scores; of a decay, the sum over the tokens behind the key up to the query is added, and of a bias,
    [heads, n], the number of the distance, at most the last; the sink of a head is the score of one more key, whose value is
    zero. Documents do not see each other."""
    q = q.unflatten(-1, (heads, -1)).transpose(1, 2)
    k, v = (x.unflatten(-1, (kv_heads, -1)).transpose(1, 2) for x in (k, v))
    token = torch.arange(q.shape[2], device=q.device)
    mask = None
    if window is not None:
        mask = token[:, None] - token < window
    if positions is not None:
        start = token - positions  # of each token's document
        same = start[:, None, :, None] == start[:, None, None, :]
        mask = same if mask is None else mask & same
    if mask is not None and causal:
        mask, causal = mask & (token[:, None] >= token), False
    if alibi or decay is not None or bias is not None:
        seen = token[:, None] >= token if mask is None else mask
        added, distance = torch.zeros_like(seen, dtype=q.dtype), token[:, None] - token
        if alibi:
            slopes = 2 ** (-8 * torch.arange(1, heads + 1, dtype=q.dtype, device=q.device) / heads)
            added = -slopes[:, None, None] * distance
        if decay is not None:
            sums = decay.transpose(1, 2).to(torch.float64).cumsum(-1)
            added = added + (sums[..., None] - sums[..., None, :]).to(q.dtype)
        if bias is not None:
            added = added + bias[:, distance.clamp(0, bias.shape[1] - 1)].to(q.dtype)
        mask, causal = added.masked_fill(~seen, -torch.inf), False
    if cap is not None and causal:
        mask, causal = token[:, None] >= token, False
    if sinks is not None:
        seen = token[:, None] >= token if causal else torch.ones_like(token[:, None] >= token)
        scores = seen if mask is None else mask
        if scores.dtype == torch.bool:
            scores = torch.zeros_like(scores, dtype=q.dtype).masked_fill(~scores, -torch.inf)
        scores = scores.expand(q.shape[0], heads, -1, -1)
        mask, causal = torch.cat((scores, sinks[:, None, None].expand(*scores.shape[:-1], 1)), -1), False
        k, v = (F.pad(x, (0, 0, 0, 1)) for x in (k, v))
    if cap is not None:
        y = capped_attention(q, k, v, cap, scale, mask)
    else:
        gqa = kv_heads != heads
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal, scale=scale, enable_gqa=gqa)
    return y.transpose(1, 2).flatten(-2)


def linear_attention(
    q, k, v, heads, scale, key_heads=None, decay=None, write=None, beta=None, erase=None, erase_write=None,
    read_before=False, positions=None,
):
    """The recurrence of a linear mixer, token by token: slow, and meant to be read. Each head has a state [dk, dv]; query
    and key head h // (heads // key_heads) serve head h. A state starts from zero, in each document anew."""
    batch, length, _ = q.shape
    q, k = (x.unflatten(-1, (key_heads or heads, -1)) for x in (q, k))
    q, k = (x.repeat_interleave(heads // x.shape[2], 2) for x in (q, k))  # [batch, time, heads, dk]
    v = v.unflatten(-1, (heads, -1))
    if decay is not None:
        decay = decay.unflatten(-1, (heads, -1)).expand(batch, length, -1, -1)  # [.., dk], or [.., 1] by head
    if beta is not None:
        write, erase = beta, (beta[..., None] * k).flatten(-2)
    if erase is not None:
        erase = erase.unflatten(-1, (heads, -1))
    erase_write = k if erase_write is None else erase_write.unflatten(-1, (heads, -1))
    state = torch.zeros(batch, heads, k.shape[-1], v.shape[-1], dtype=v.dtype, device=v.device)
    rows = []
    for t in range(length):
        if positions is not None:
            state = torch.where((positions[:, t] == 0)[:, None, None, None], 0.0, state)
        before, value = state, v[:, t]
        if decay is not None:
            state = decay[:, t].exp()[..., None] * state
        read = before if read_before else state
        if write is not None:
            value = write[:, t, :, None] * value
        if erase is not None:
            erased = torch.einsum("bhk,bhkv->bhv", erase[:, t], read)
            state = state - erase_write[:, t, :, :, None] * erased[:, :, None]
        state = state + k[:, t, :, :, None] * value[:, :, None]
        rows.append(scale * torch.einsum("bhk,bhkv->bhv", q[:, t], state))
    return torch.stack(rows, 1).flatten(-2)


def maximum(a, b):
    """The larger one; at a tie the gradient goes to b."""
    return torch.where(a > b, a, b)


def minimum(a, b):
    """The smaller one; at a tie the gradient goes to b."""
    return torch.where(a < b, a, b)


class Weights(nn.Module):
    """Weights by name: w["q.weight"] is a tensor, w.group("attention") the weights below a name."""

    def declare(self, name, shape, initialise, trainable=True):
        *groups, last = name.split(".")
        owner = self
        for group in groups:
            owner = owner._modules.setdefault(group, Weights())
        owner._parameters[last] = nn.Parameter(torch.empty(shape), requires_grad=trainable)
        initialise(owner._parameters[last])

    def group(self, name):
        owner = self
        for part in name.split("."):
            owner = owner._modules[part]
        return owner

    def __getitem__(self, name):
        groups, _, last = name.rpartition(".")
        return (self.group(groups) if groups else self)._parameters[last]


def read_stretto(path):
    """Tensors by name of a run directory, a checkpoint of it (a folder, or `latest`), or any safetensors file of ours."""
    for inner in ("ckpt", "latest"):
        if os.path.exists(os.path.join(path, inner)):
            path = os.path.join(path, inner)
    if os.path.basename(path) == "latest":
        with open(path, encoding="utf-8") as file:
            path = os.path.join(os.path.dirname(path), file.read().strip())
    paths = [path]
    if os.path.isdir(path):  # several ranks may have written it
        names = [name for name in os.listdir(path) if name.startswith("weights") and name.endswith(".safetensors")]
        paths = [os.path.join(path, name) for name in names or ["weights.safetensors"]]
    dtypes = {"F32": torch.float32, "F64": torch.float64, "I32": torch.int32, "U8": torch.uint8}
    tensors = {}
    for path in paths:
        with open(path, "rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > os.path.getsize(path) - 8:
                raise ValueError(f"'{path}' must be a safetensors file, but has no room for a header of {length} bytes")
            header, data = json.loads(file.read(length)), bytearray(file.read())
        header.pop("__metadata__", None)
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            tensors[name] = torch.frombuffer(data[begin:end], dtype=dtypes[entry["dtype"]]).reshape(entry["shape"])
    return tensors
