"""The language as formulas, written down from the paper and from textbooks, sharing nothing with what they check.

The body of a spec is Python as well: `a, b = canon(x, y, activation = silu)`. Language.read executes it with the functions
below, whose signatures are what the language promises: the order and names of options, and their defaults.

Derivatives are complex steps: f(w + ih) = f(w) + ih f'(w), exact where h is tiny. Every array has one slice for each
entry of a weight, in which that entry has an imaginary part; activations are [slices, batch, length, width].
"""
import inspect
import itertools
import math

import numpy as np
from dropout import dropout, keys_of_dropout

STEP = 1e-30


def rows(weight):
    """A weight [slices, width] beside activations."""
    return weight[:, None, None]


def normal(std):
    return "normal", 0.0, std


def uniform(bound):
    return "uniform", -bound, bound


def constant(value):
    return "constant", value, 0.0


zeros, ones = constant(0.0), constant(1.0)


def turn(x, heads, fraction, head_fraction, theta, style):
    """Rotates pairs of columns by angles that grow with time."""
    width, y = x.shape[-1] // heads, x.copy()
    columns = round(fraction * width)
    for head in range(round(head_fraction * heads)):
        for pair in range(columns // 2):
            a, b = (2 * pair, 2 * pair + 1) if style == "interleaved" else (pair, pair + columns // 2)
            a, b = head * width + a, head * width + b
            for t in range(x.shape[2]):
                angle = t * theta ** (-2 * pair / columns)
                y[:, :, t, a] = x[:, :, t, a] * math.cos(angle) - x[:, :, t, b] * math.sin(angle)
                y[:, :, t, b] = x[:, :, t, a] * math.sin(angle) + x[:, :, t, b] * math.cos(angle)
    return y


def outer(a, b):
    """The matrices a b^T of two vectors."""
    return a[..., :, None] * b[..., None, :]


def times(a, matrix):
    """The vectors matrix^T a."""
    return (a[..., None] * matrix).sum(-2)


def visits(gates, chosen):
    """Row, expert, and number of the expert among those of the row whose gates are not zero."""
    for row in np.ndindex(gates.shape[:-1]):
        for part, expert in enumerate(np.flatnonzero(gates[row].real)[:chosen]):
            yield row, expert, part


def log_sum_exp(x, heads=1):
    """Of models/std/formulas.stretto, as is log_softmax."""
    tops = [part.real.max(-1, keepdims=True) for part in np.split(x, heads, -1)]
    return np.concatenate([top + np.log(np.exp(part - top).sum(-1, keepdims=True))
                           for part, top in zip(np.split(x, heads, -1), tops, strict=True)], -1)  # fmt: skip


def log_softmax(x, heads=1):
    return np.concatenate([part - log_sum_exp(part) for part in np.split(x, heads, -1)], -1)


class Reader:
    """`weights`: values by name, in the order in which the spec makes them. `made`: (init, frozen) of each. `trains`: whether
    numbers are dropped out, as for the first sequences of a run from seed 0."""

    def __init__(self, tokens, vocabulary, weights, targets=None, trains=True):
        self.trains, self.places = trains, itertools.count()
        self.tokens, self.vocabulary, self.weights, self.targets = tokens, vocabulary, weights, targets
        self.waiting, self.entries = list(weights), sum(value.size for value in weights.values())
        self.offset, self.made = 0, {}

    def names(self, wrap=lambda name, function: function):
        """What a spec may write; `wrap` may stand between it and the functions."""
        names = {name: wrap(name, getattr(self, name)) for name in SIGNATURES}
        names |= {"tokens": self.tokens, "vocab": self.vocabulary, "true": True, "false": False, "zeros": zeros, "ones": ones}
        names |= {"log_sum_exp": log_sum_exp, "log_softmax": log_softmax}
        return names | {symbol: symbol for symbol in ("none", "half_split", "interleaved", "after", "before")}

    def read(self, body, wrap):
        """The variables of a body."""
        variables = self.names(wrap)
        exec(body, variables)
        return variables

    def weight(self, shape, init, frozen=False):
        name = self.waiting.pop(0)
        value = self.weights[name].astype(complex)
        assert value.shape == shape, f"{name} is {value.shape} instead of {shape}"
        self.made[name] = (init, frozen)
        step = np.zeros((self.entries, value.size), complex)
        step[self.offset : self.offset + value.size] = 1j * STEP * np.eye(value.size)
        self.offset += value.size
        return value + step.reshape(-1, *shape)


class Language(Reader):
    # Layers

    def embed(self, tokens, vocabulary=None, width=None, weight=None, init=normal(0.02)):
        count = self.tokens.shape[1] if vocabulary is None else vocabulary
        table = self.weight((count, width), init) if weight is None else weight
        return table[:, tokens]

    def positions(self):
        return np.broadcast_to(np.arange(self.tokens.shape[1]), self.tokens.shape)

    def linear(self, x, width=None, bias=False, weight=None, init=normal(0.02), bias_init=zeros):
        if weight is None:
            weight = self.weight((width, x.shape[-1]), init)
        y = np.stack([(x * rows(weight[:, i])).sum(-1) for i in range(weight.shape[1])], -1)
        return y + rows(self.weight((y.shape[-1],), bias_init)) if bias else y

    def rms_norm(self, x, heads=1, eps=1e-5, init=ones):
        gain = rows(self.weight((x.shape[-1] // heads,), init))
        parts = np.split(x, heads, -1)
        return np.concatenate([part / np.sqrt((part * part).mean(-1, keepdims=True) + eps) * gain for part in parts], -1)

    def layer_norm(self, x, heads=1, eps=1e-5, bias=True, init=ones, bias_init=zeros):
        width = x.shape[-1] // heads
        gain = rows(self.weight((width,), init))
        offset = rows(self.weight((width,), bias_init)) if bias else 0.0
        parts = [part - part.mean(-1, keepdims=True) for part in np.split(x, heads, -1)]
        return np.concatenate([part / np.sqrt((part * part).mean(-1, keepdims=True) + eps) * gain + offset for part in parts], -1)

    def l2_norm(self, x, heads=1, eps=1e-6):
        parts = np.split(x, heads, -1)
        return np.concatenate([part / np.sqrt((part * part).sum(-1, keepdims=True) + eps) for part in parts], -1)

    def softmax(self, x, heads=1):
        parts = [np.exp(part - part.max(-1, keepdims=True)) for part in np.split(x, heads, -1)]
        return np.concatenate([part / part.sum(-1, keepdims=True) for part in parts], -1)

    def keep_top(self, x, count, heads=1):
        parts = np.split(x, heads, -1)
        orders = [np.argsort(-part.real, -1, kind="stable") for part in parts]
        ranks = [np.argsort(order, -1) for order in orders]
        return np.concatenate([part * (rank < count) for part, rank in zip(parts, ranks, strict=True)], -1)

    def heaviside(self, x):
        return (np.real(x) > 0) * 1.0

    def next_token_loss(self, logits):
        return likelihoods(logits, self.targets)[..., None]

    def dropout(self, x, rate):
        if not self.trains or rate == 0:
            return x
        keys = keys_of_dropout(0, 0, *self.tokens.shape)[..., None]
        return dropout(x, next(self.places), keys, rate, np.arange(x.shape[-1]))

    def batch_mean(self, x):
        return rows(x.mean((1, 2)))

    def stop_gradient(self, x):
        return np.real(x) + 0j

    def full(self, width, value):
        return np.full((self.entries, *self.tokens.shape, width), value, complex)

    def expert_linear(self, x, gates, width, chosen=1, weight=None, init=normal(0.02)):
        if weight is None:
            weight = self.weight((gates.shape[-1] * width, x.shape[-1]), init)
        weights = np.split(weight, gates.shape[-1], 1)
        y = np.zeros(x.shape[:-1] + (chosen, width), x.dtype)
        for row, expert, part in visits(gates, chosen):
            y[row][part] = (weights[expert][row[0]] * x[row]).sum(-1)
        return y.reshape(*x.shape[:-1], chosen * width)

    def expert_sum(self, x, gates, width, chosen=1, weight=None, init=normal(0.02)):
        if weight is None:
            weight = self.weight((gates.shape[-1] * width, x.shape[-1] // chosen), init)
        weights, parts = np.split(weight, gates.shape[-1], 1), np.stack(np.split(x, chosen, -1), -2)
        y = np.zeros((*x.shape[:-1], width), x.dtype)
        for row, expert, part in visits(gates, chosen):
            y[row] += gates[row][expert] * (weights[expert][row[0]] * parts[row][part]).sum(-1)
        return y

    def sum(self, x, heads=1):
        return np.concatenate([part.sum(-1, keepdims=True) for part in np.split(x, heads, -1)], -1)

    def canon(self, *x, kernel=4, residual=True, bias=False, activation="none", frozen=False, init=None, bias_init=zeros):
        """x + activation(conv(x) + bias); the convolution begins as Conv1d of one group per column does."""
        joined = np.concatenate(x, -1)
        taps = self.weight((kernel, joined.shape[-1]), init or uniform(1 / math.sqrt(kernel)), frozen)
        y = np.zeros_like(joined)
        for t in range(joined.shape[2]):
            for k in range(min(kernel, t + 1)):
                y[:, :, t] += taps[:, None, k] * joined[:, :, t - k]
        if bias:
            y = y + rows(self.weight((joined.shape[-1],), bias_init, frozen))
        y = {"none": lambda y: y, "silu": self.silu}[symbol(activation)](y)
        y = joined + y if residual else y
        ends = np.cumsum([part.shape[-1] for part in x])
        return y if len(x) == 1 else np.split(y, ends[:-1], -1)

    def shift(self, x, steps):
        y = np.zeros_like(x)
        for t in range(steps, x.shape[2]):
            y[:, :, t] = x[:, :, t - steps]
        return y

    def rotary(self, *x, head_dim=None, heads=None, fraction=1.0, head_fraction=1.0, theta=10000.0, style="half_split"):
        turned = [turn(part, heads or part.shape[-1] // head_dim, fraction, head_fraction, theta, style) for part in x]
        return turned if len(x) > 1 else turned[0]

    def softmax_attention(self, q, k, v, heads, kv_heads=None, causal=True, window=0, alibi=False, sinks=None, cap=0, decay=None,
                          bias=None):  # fmt: skip
        def part(x, number, parts):
            width = x.shape[-1] // parts
            return x[..., number * width : (number + 1) * width]

        kv_heads, width, length, results = kv_heads or heads, q.shape[-1] // heads, q.shape[2], []
        for head in range(heads):
            mine, keys, values = part(q, head, heads), *(part(x, head // (heads // kv_heads), kv_heads) for x in (k, v))
            rows, lost = [], None if decay is None else np.broadcast_to(decay, (*q.shape[:-1], heads))[..., head]
            for t in range(length):
                seen = range(max(0, t + 1 - window) if window else 0, t + 1 if causal else length)
                slope = 2 ** (-8 * (head + 1) / heads) if alibi else 0
                scores = [(mine[:, :, t] * keys[:, :, s]).sum(-1) / math.sqrt(width) for s in seen]
                scores = [cap * np.tanh(score / cap) if cap else score for score in scores]
                behind = [0 if decay is None else lost[:, :, s + 1 : t + 1].sum(-1) for s in seen]
                near = [0 if bias is None else bias[:, head, None, min(t - s, bias.shape[-1] - 1)] for s in seen]
                scores = [np.exp(score - slope * (t - s) + a + b) for s, score, a, b in zip(seen, scores, behind, near)]
                sink = 0 if sinks is None else np.exp(sinks[:, :, 0, head])
                weights = [(score / (sum(scores) + sink))[..., None] for score in scores]
                rows.append(sum(weight * values[:, :, s] for s, weight in zip(seen, weights)))
            results.append(np.stack(rows, axis=2))
        return np.concatenate(results, axis=-1)

    def linear_attention(self, q, k, v, heads, key_heads=None, decay=None, write=None, beta=None, erase=None,
                         erase_write=None, read="after", scale=None):  # fmt: skip
        """A recurrence over a matrix from keys to values for each head: linear attention (Katharopoulos et al. 2020) with decay
        (Sun et al. 2023; Yang et al. 2024), the delta rule (Schlag et al. 2021) and its generalisation (Peng et al. 2025)."""
        key_heads = key_heads or heads
        key_width, value_width = q.shape[-1] // key_heads, v.shape[-1] // heads
        scale = 1 / math.sqrt(key_width) if scale is None else scale

        def outputs(head):
            def at(x, part=head, parts=heads):
                """One of equal parts of the columns at the time t."""
                width = x.shape[-1] // parts
                return np.broadcast_to(x, (*q.shape[:3], x.shape[-1]))[:, :, t, part * width : (part + 1) * width]

            state = np.zeros((1, 1, key_width, value_width))
            for t in range(q.shape[2]):
                query, key = (at(x, head // (heads // key_heads), key_heads) for x in (q, k))
                decayed = state if decay is None else np.exp(at(decay))[..., None] * state
                known = state if read == "before" else decayed
                if beta is not None:  # of what is known for k, v replaces a part
                    state = decayed + outer(key, at(beta) * (at(v) - times(key, known)))
                else:
                    state = decayed + outer(key, at(v) if write is None else at(write) * at(v))
                if erase is not None:
                    state = state - outer(key if erase_write is None else at(erase_write), times(at(erase), known))
                yield scale * times(query, state)

        return np.concatenate([np.stack(list(outputs(head)), 2) for head in range(heads)], -1)

    def concat(self, *x, heads=1):
        return np.concatenate([part for parts in zip(*(np.split(each, heads, -1) for each in x)) for part in parts], -1)

    def tile(self, x, width):
        return np.concatenate([x] * (width // x.shape[-1]), -1)

    def split(self, x, parts=2, heads=1):
        columns = np.split(x, parts * heads, -1)
        return [np.concatenate(columns[part::parts], -1) for part in range(parts)]

    def slice(self, x, offset, width, heads=1):
        return np.concatenate([part[..., offset : offset + width] for part in np.split(x, heads, -1)], -1)

    def spread(self, x, width):
        return np.stack([x[..., column * x.shape[-1] // width] for column in range(width)], -1)

    def numbers(self, n):
        return np.arange(n) * 1.0

    def parameter(self, *shape, init=normal(0.02), frozen=False, lr_factor=1, weight_decay_factor=1):  # of training alone
        weight = self.weight(shape, init, frozen)
        return rows(weight) if len(shape) == 1 else weight

    def recompute(self, *x):
        return x if len(x) > 1 else x[0]

    def width(self, x):
        return x.shape[-1]

    # Functions of tensors and numbers

    def exp(self, x):
        return np.exp(x)

    def log(self, x):
        return np.log(x)

    def sqrt(self, x):
        return np.sqrt(x)

    def rsqrt(self, x):
        return 1 / np.sqrt(x)

    def tanh(self, x):
        return 1 - 2 / (np.exp(2 * x) + 1)

    def sin(self, x):
        return np.sin(x)

    def cos(self, x):
        return np.cos(x)

    def sigmoid(self, x):
        return 1 / (1 + np.exp(-x))

    def silu(self, x):
        return x / (1 + np.exp(-x))

    def gelu(self, x):
        """With erf; a step changes it by its density."""
        z = np.asarray(x) / math.sqrt(2)
        erf = np.vectorize(math.erf)(z.real) + 1j * z.imag * 2 / math.sqrt(math.pi) * np.exp(-(z.real**2))
        return x * (1 + erf) / 2

    def relu(self, x):
        return np.where(np.real(x) > 0, x, 0)

    def square(self, x):
        return x * x

    def softplus(self, x):
        return np.log(1 + np.exp(x))

    def min(self, *x):
        return -self.max(*(-each for each in x))

    def max(self, *x):
        largest = x[0]
        for each in x[1:]:
            largest = np.where(np.real(largest) > np.real(each), largest, each)
        return largest

    # Numbers

    def floor_to(self, x, multiple):
        return math.floor(x / multiple) * multiple

    def ceil_to(self, x, multiple):
        return math.ceil(x / multiple) * multiple

    def floor(self, x):
        return math.floor(x)

    def ceil(self, x):
        return math.ceil(x)

    # Initializers

    def normal(self, std):
        return normal(std)

    def truncated_normal(self, std, bound=3.0):
        return "truncated_normal", std, bound

    def uniform(self, bound):
        return uniform(bound)

    def constant(self, value):
        return constant(value)

    def log_of_uniform(self, low, high):
        return "log_of_uniform", low, high

    def step_bias(self, low, high):
        return "step_bias", low, high


SIGNATURES = {name: inspect.signature(function) for name, function in vars(Language).items() if inspect.isfunction(function)}


def symbol(value):
    """The name of an option's value that is also the name of a function."""
    return getattr(value, "__name__", value)


def likelihoods(logits, targets):
    """-log softmax(logits)[target] of each token."""
    batch, length = np.indices(targets.shape)
    return np.log(np.exp(logits).sum(-1)) - logits[:, batch, length, targets]
