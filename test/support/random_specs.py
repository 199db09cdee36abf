"""Random valid models of the language, for comparing what the compiler makes of them with what they mean."""
import random
import re
from dataclasses import dataclass
from typing import Callable

from random_weights import Weights, divisors

UNARY = [
    "tanh({})", "sigmoid({})", "silu({})", "gelu({})", "relu({})", "softplus({})", "-{}", "exp(tanh({}))",
    "square(tanh({}))", "log(square({}) + 0.5)", "sqrt(square({}) + 0.5)", "rsqrt(square({}) + 0.5)",
    "{} * 0.5", "1.5 - {}", "{} + 0.25", "max({}, 0.125)", "min({}, 1)", "recompute(tanh({}))", "heaviside({} - 0.3)",
    "stop_gradient({})", "dropout({}, 0.3)",
]  # fmt: skip
BINARY = ["({} + {})", "({} - {})", "tanh({}) * {}", "sigmoid({}) * {}", "max({}, {})", "min({}, {})", "{} / (square({}) + 0.5)"]


@dataclass(frozen=True)
class Sizes:
    """How long sequences are drawn, how wide rows, and how wide what lies between them."""

    length: Callable[[random.Random], int]
    width: Callable[[random.Random], int]
    inner: Callable[[random.Random], int]


def among(*sizes):
    return lambda rng: rng.choice(sizes)


SMALL = Sizes(lambda rng: rng.randint(1, 9), lambda rng: rng.randint(3, 14), lambda rng: rng.randint(3, 16))
# Widths that tensor cores take, and lengths around those of their tiles and of chunks of mixers.
eights = among(8, 16, 16, 24, 32, 32, 40, 48, 64, 64, 96, 128)
EIGHTS = Sizes(among(1, 3, 5, 9, 17, 33, 50, 64, 70, 130), eights, eights)
# Rows of several strips, the last of which may be narrower; lengths up to some blocks of rows.
WIDE = Sizes(among(2, 5, 7, 9, 16), among(130, 132, 160, 192, 200, 256, 260, 300, 384), among(17, 128, 130, 192, 256, 264, 300, 384))


class Block:
    """Writes the body of one block, statement by statement. `variables`: the width of each tensor in scope."""

    def __init__(self, rng, sizes, length, width, callees, wide=False):
        self.rng, self.sizes, self.length, self.width, self.callees, self.wide = rng, sizes, length, width, callees, wide
        self.variables, self.lines, self.weights = {}, [], Weights(rng)

    def computed(self, chance, *shape):
        """A weight of that shape, computed from others; mostly none. Only in wide models."""
        if not self.wide or not self.weights.chance(chance):
            return ""
        weight = self.weights.draw(shape, self.weights.rng.randint(1, 2))
        self.lines += self.weights.statements
        self.weights.statements.clear()
        return weight

    def option(self, *choices):
        """One of some further arguments, or none; only in wide models."""
        return self.rng.choice(["", *(f", {each}" for each in choices)]) if self.wide else ""

    def variable(self, width):
        """An expression of that width from one variable."""
        fitting = [name for name, each in self.variables.items() if each == width]
        if fitting and self.rng.random() < 0.85:
            return self.rng.choice(fitting)
        source = self.rng.choice(list(self.variables))
        bias = ", bias = true" if self.rng.random() < 0.3 else ""
        return f"linear({source}, {width}{bias})"

    def expression(self, width, depth):
        rng = self.rng
        if depth == 0:
            return self.variable(width)
        kinds = [self.unary] * 5 + [self.binary] * 5 + [self.norm, self.canon, self.canon, self.shift, self.weight]
        kinds += [self.attention, self.mixer, self.narrow_mixer, self.linear, self.sum, self.spread, self.tile, self.slice,
                  self.keep_top, self.experts]
        kinds += ([self.softmax, self.concat] if width > 1 else []) + ([self.rotary] if width % 2 == 0 else [])
        return rng.choice(kinds)(width, depth)

    def unary(self, width, depth):
        return self.rng.choice(UNARY).format(self.expression(width, depth - 1))

    def binary(self, width, depth):
        other = self.expression(width, self.rng.randrange(depth))
        template, one = self.rng.choice(BINARY), self.expression(width, depth - 1)
        if one == other:  # the difference of equals is rounding alone
            other = f"(0.5 * {other})"
        return template.format(one, other)

    def norm(self, width, depth):
        heads = self.rng.choice(divisors(width))
        name = self.rng.choice(["rms_norm", "layer_norm", "l2_norm"])
        if name == "layer_norm" and heads == width:  # of single numbers: always zero, and its gradient is rounding alone
            heads = 1
        more = self.option("eps = 0.01", *(["bias = false"] if name == "layer_norm" else []))
        if name == "layer_norm" and width == 1:  # the same: a row of one column has no other scale
            name, more = "rms_norm", ""
        return f"{name}({self.expression(width, depth - 1)}, heads = {heads}{more})"

    def softmax(self, width, depth):
        heads = self.rng.choice(divisors(width)[:-1])  # that of a single number is one, and its gradient rounding alone
        return f"softmax({self.expression(width, depth - 1)}, heads = {heads})"

    def keep_top(self, width, depth):
        heads = self.rng.choice(divisors(width))
        count = self.rng.randint(1, min(4, width // heads))
        return f"keep_top({self.expression(width, depth - 1)}, {count}, heads = {heads})"

    def experts(self, width, depth):
        """Rows go to some experts and come back, by gates that are computed from a variable alone, as two calls read them."""
        rng, (gates, columns) = self.rng, self.rng.choice(list(self.variables.items()))
        count = rng.randint(1, min(5, columns))
        chosen, inner = rng.randint(1, count), self.sizes.inner(rng)
        gates = f"slice({gates}, 0, {count})"
        gates = rng.choice([gates, f"keep_top({gates}, {chosen})", f"keep_top(softmax({gates}), {rng.randint(1, chosen)})"])
        going = f"expert_linear({self.expression(self.sizes.inner(rng), depth - 1)}, {gates}, {inner}, {chosen})"
        return f"expert_sum({rng.choice(UNARY).format(going)}, {gates}, {width}, {chosen})"

    def times(self, width):
        """A multiple of it, of which no row gets long."""
        return width * self.rng.randint(1, max(1, min(3, 256 // width)))

    def sum(self, width, depth):
        return f"sum({self.expression(self.times(width), depth - 1)}, heads = {width})"

    def spread(self, width, depth):
        return f"spread({self.expression(self.rng.choice(divisors(width)), depth - 1)}, {width})"

    def tile(self, width, depth):
        return f"tile({self.expression(self.rng.choice(divisors(width)), depth - 1)}, {width})"

    def slice(self, width, depth):
        before, behind, heads = self.rng.randint(0, 3), self.rng.randint(0, 3), self.rng.choice([1, *divisors(width)])
        columns = width // heads
        whole = self.expression((before + columns + behind) * heads, depth - 1)
        return f"slice({whole}, {before}, {columns}{f', heads = {heads}' if heads > 1 else ''})"

    def concat(self, width, depth):
        heads = self.rng.choice([1, *(each for each in divisors(width) if width // each > 1)])
        left = self.rng.randint(1, width // heads - 1) * heads
        parts = ", ".join(self.expression(each, self.rng.randrange(depth)) for each in (left, width - left))
        return f"concat({parts}{f', heads = {heads}' if heads > 1 else ''})"

    def canon_options(self):
        rng, options = self.rng, f"kernel = {self.rng.randint(2, 4)}"
        for option in ("residual = false", "bias = true", "activation = silu", "frozen = true"):
            options += f", {option}" if rng.random() < 0.25 else ""
        return options

    def canon(self, width, depth):
        return f"canon({self.expression(width, depth - 1)}, {self.canon_options()})"

    def shift(self, width, depth):
        return f"shift({self.expression(width, depth - 1)}, {self.rng.randint(1, min(3, self.length))})"

    def weight(self, width, depth):
        sign, columns = self.rng.choice(["*", "+", "-"]), self.rng.choice(divisors(width))
        one = lambda each: f"parameter({each}, init = normal(0.5){self.option('frozen = true')})"
        heads = self.rng.choice(divisors(width)[:-1] or [1])
        sums = f"sum({one(columns * self.rng.randint(1, 5))}, heads = {columns})"
        alone = [f"spread({one(columns)}, {width})", f"spread({sums}, {width})", f"numbers({width}) / {width}",
                 f"softmax({one(width)}, heads = {heads})", f"l2_norm({one(width)}, heads = {heads})"]  # fmt: skip
        weight = self.rng.choice([one(width)] * 4 + alone)
        weight = self.computed(0.3, width) or weight
        return f"({self.expression(width, depth - 1)} {sign} {weight})"

    def linear(self, width, depth):
        inner = self.sizes.inner(self.rng)
        one = f"parameter({width}, {inner})"
        more = self.option("bias = true", f"weight = {one}", f"weight = parameter({width}, {inner}, frozen = true)",
                           f"weight = {one} {self.rng.choice('+-*')} {one}", f"weight = l2_norm({one})")
        if weight := self.computed(0.2, width, inner):
            more = f", weight = {weight}"
        return f"linear({self.expression(inner, depth - 1)}, {width}{more})"

    def rotary_options(self, width):
        rng = self.rng
        heads = rng.choice([d for d in divisors(width) if width // d % 2 == 0])
        columns = width // heads
        rotated, rotated_heads = rng.randrange(2, columns + 1, 2), rng.randint(1, heads)
        style = rng.choice(["half_split", "interleaved"])
        shape = f"head_dim = {columns}" if self.wide and rng.random() < 0.5 else f"heads = {heads}"
        return (
            f"{shape}, fraction = {rotated} / {columns}, head_fraction = {rotated_heads} / {heads}, "
            f"theta = {rng.choice([100, 10000])}, style = {style}"
        )

    def rotary(self, width, depth):
        return f"rotary({self.expression(width, depth - 1)}, {self.rotary_options(width)})"

    def attention(self, width, depth):
        heads = self.rng.choice(divisors(width))
        kv_heads = self.rng.choice(divisors(heads))
        columns = self.rng.choice([width // heads, width // heads, self.rng.randint(1, 20)])  # of a head of queries
        seen = self.rng.choice(["", "", ", causal = false", f", window = {self.rng.randint(0, 9)}", ", alibi = true",
                                f", sinks = parameter({heads}, init = normal(1))"])
        seen += self.bounds(heads, seen)
        widths = (heads * columns, kv_heads * columns, width // heads * kv_heads)
        q, k, v = (self.expression(each, self.rng.randrange(depth)) for each in widths)
        bound = self.rng.choice(["tanh", "rms_norm"])  # see write
        return f"softmax_attention({bound}({q}), {bound}({k}), {v}, {heads}, {kv_heads}{seen})"

    def bounds(self, heads, seen):
        """A cap of scores, a decay and a bias, and in wide models what else attention may have beside what it has."""
        rng = self.weights.rng
        drawn = f", cap = {rng.choice([0.25, 1, 2, 50])}" if self.weights.chance(0.3) else ""
        if "causal" in seen:
            return drawn
        if self.weights.chance(0.15):
            decays = [f"-softplus(linear({rng.choice(list(self.variables))}, {heads}))", f"parameter({heads}, init = normal(0.3))"]
            drawn += f", decay = {rng.choice(decays)}"
        if self.weights.chance(0.15):
            drawn += f", bias = parameter({heads}, {rng.randint(1, 9)}, init = normal(0.3))"
        if not self.wide:
            return drawn
        others = {"window": lambda: 3, "alibi": lambda: "true", "sinks": lambda: self.computed(1, heads)}
        return drawn + "".join(f", {name} = {value()}" for name, value in others.items()
                             if name not in seen and self.weights.chance(0.15))

    def mixer(self, width, depth):
        heads = self.rng.choice(divisors(width))
        return self.mixer_of(width, depth, heads, self.rng.choice(divisors(heads)), self.rng.randint(1, 5))

    def narrow_mixer(self, width, depth):
        """Many heads of a few columns, also of one, as recurrences of each column by itself have."""
        columns = self.times(width)
        heads = columns // self.rng.choice([each for each in divisors(columns) if each <= 8])
        keys = self.rng.choice([each for each in (1, 1, 2, 3, 8, 16) if each == 1 or each * heads <= 1024])
        mixer = self.mixer_of(columns, depth, heads, self.rng.choice([1, heads, *divisors(heads)]), keys)
        return f"sum({mixer}, heads = {width})"

    def mixer_of(self, width, depth, heads, key_heads, columns):
        """A linear mixer of any kind; what is erased is bounded, so that states do not grow."""
        rng = self.rng
        inner = lambda each: self.expression(each, rng.randrange(depth))
        bounded = lambda each: f"tanh({inner(each)})"
        bound = rng.choice(["l2_norm", "softmax" if columns > 1 else "l2_norm"])
        key = f"{bound}({inner(key_heads * columns)}, heads = {key_heads})"
        options = []
        if rng.random() < 0.7:
            options.append(f"decay = {self.decay(heads, heads * columns, inner)}")
        strength = f"sigmoid({inner(heads)})"
        by_channel = lambda: f"l2_norm({inner(heads * columns)}, heads = {heads})"
        kind = rng.choice(["", "write", "beta", "beta", "erase", "erase_write"])
        if weight := kind and self.computed(0.2, heads):
            strength = f"sigmoid({weight})"
        if kind in ("write", "beta"):
            options.append(f"{kind} = {strength}")
        if kind in ("erase", "erase_write"):
            options += [f"erase = {by_channel()}"] + ([f"write = {strength}"] if rng.random() < 0.5 else [])
        if kind == "erase_write":
            options.append(f"erase_write = 0.5 * {by_channel()}")
        if kind not in ("", "write") and rng.random() < 0.3:
            options.append("read = before")
        options += rng.choice([[], ["scale = 1.0"]]) + ([f"key_heads = {key_heads}"] if key_heads != heads else [])
        q, v = bounded(key_heads * columns), inner(width)
        return f"linear_attention({', '.join([q, key, v, str(heads), *options])})"

    def decay(self, heads, channels, inner):
        columns = self.rng.choice([heads, channels])
        shared = f"parameter({columns}, init = normal(0.5))"
        rows, strength = inner(columns), self.rng.choice(["", "4 * "])
        return self.rng.choice([
            f"-{strength}softplus({rows})", f"-exp({shared}) * softplus({rows})", f"-{strength}softplus({shared})",
            f"-0.25 * numbers({columns})", f"-0.25 * spread(numbers({heads}), {columns})", f"spread(-softplus({inner(heads)}), {columns})",
        ])  # fmt: skip

    def split(self):
        width, parts = self.rng.choice([self.width, self.sizes.inner(self.rng)]), self.rng.randint(2, 3)
        names = [f"part{number}_{width}" for number in range(parts)]
        self.pending = dict.fromkeys(names, width)
        heads = self.rng.choice(["", f", heads = {self.rng.choice(divisors(width))}"])
        return f"{', '.join(names)} = split({self.expression(parts * width, self.rng.randint(1, 2))}, {parts}{heads})"

    def several(self):
        """`a, b = canon(a, b)`, or a rotation of two values of one width."""
        names = self.rng.sample(sorted(self.variables), min(len(self.variables), self.rng.randint(2, 3)))
        width = self.variables[names[0]]
        if self.rng.random() < 0.3 and width % 2 == 0:
            names = [name for name in names if self.variables[name] == width]
            return f"{', '.join(names)} = rotary({', '.join(names)}, {self.rotary_options(width)})"
        return f"{', '.join(names)} = canon({', '.join(names)}, {self.canon_options()})"

    def statement(self):
        rng = self.rng
        if len(self.variables) > 1 and rng.random() < 0.2:
            return self.split() if rng.random() < 0.2 else self.several()
        if self.callees and rng.random() < 0.15:
            text = rng.choice(self.callees).format(self.expression(self.width, 1))
            self.pending = {"h": self.width}
            return f"h = {text}"
        width = rng.choice([self.width, self.width, self.sizes.inner(rng)])
        text = f"{self.take(width)} = {self.expression(width, rng.randint(1, 4))}"
        return f"no_fuse {{ {text} }}" if rng.random() < 0.05 else text

    def take(self, width):
        """A name for a new value: mostly a new one, at times one that is replaced."""
        name = self.rng.choice(["h", "u", "v", "gate", "a", "b"])
        if self.variables.get(name, width) != width:
            name += str(len(self.variables))
        self.pending = {name: width}
        return name

    def write(self, arguments, results, shared=()):
        """`shared`: the shape of a weight that is another argument; none: there is none."""
        # Mostly of normalised inputs, as people write blocks: what grows from layer to layer ends where tanh and
        # softmax have no derivative left, and nothing can be compared.
        for name in arguments:
            if self.rng.random() < 0.85:
                self.lines.append(f"{name}_norm = {self.rng.choice(['rms_norm', 'layer_norm'])}({name})")
                self.variables[f"{name}_norm"] = self.width
            else:
                self.variables[name] = self.width
        if shared:
            rows = self.expression(self.width, 1)
            text = f"{rows} * shared" if len(shared) == 1 else f"linear({rows}, {self.width}, weight = shared)"
            self.lines.append(f"shared = {text}")
            self.variables["shared"] = self.width
        for _ in range(self.rng.randint(1, 5)):
            self.pending = {}
            self.lines.append(self.statement())
            self.variables |= self.pending
        returned = []
        for name in arguments[:results]:
            change = self.expression(self.width, self.rng.randint(0, 2))
            returned.append(self.rng.choice([f"{name} + {change}", f"{name} + 0.5 * {change}", f"rms_norm({change})"]))
        self.lines.append(f"return {', '.join(returned)}")
        return self.lines


def random_loss(seed):
    """Coefficients of the terms of a loss, (nll_square, z_loss), of any size that matters; half of them 0."""
    rng = random.Random(f"loss {seed}")
    return tuple(rng.choice([0.0, 10 ** rng.uniform(-4, 0)]) for _ in range(2))


def repeats(rng, blocks):
    """The loop over layers. `blocks`: (how it is called, whether it takes and returns two values)."""
    count = rng.randint(1, 4)
    single = [call.format("x") for call, double in blocks if not double]
    double = [call.format("x, y") for call, double in blocks if double]
    forms = []
    if single:
        one, two = rng.choice(single), rng.choice(single)
        forms += [
            f"repeat {count} {{ x = {one} }}",
            f"repeat {count} {{ x = {one} x = {two} + 0.25 * first }}",
            f"repeat {count} as i {{ x = {one} * (1 / (i + 2)) + x }}",
            f"repeat {count + 2} as i {{ if i % 3 == 1 {{ x = {one} }} else {{ x = {two} }} }}",
            f"repeat {count} {{ x = {one} y = rms_norm(x + y) }} x = x + y",
        ]
    if double:
        forms += [f"repeat {count} {{ x, y = {rng.choice(double)} }} x = x + y"] * 3
    return rng.choice(forms)


def added(rng):
    """What may be added to the loss of each token, and look at all of them."""
    return rng.choice([""] * 4 + [
        ", sum(tanh(x) * batch_mean(heaviside(y)))", ", square(batch_mean(sum(tanh(x * y)))) + 0.1 * slice(tanh(y), 0, 1)",
        ", 0.3 * next_token_loss(linear(shift(tanh(x), 1), vocab))", ", 0.1 * square(log(sum(exp(tanh(x)))))", f", full(1, {rng.random():.2f})",
        ", sum(stop_gradient(tanh(y)) * batch_mean(tanh(x) * batch_mean(tanh(first))))",
    ])  # fmt: skip


def random_spec(seed, wide=False, sizes=SMALL):
    """(text, batch, length, vocabulary) of a valid model; a wide one draws from more options of the language."""
    rng = random.Random(seed)
    width, length, batch, vocabulary = sizes.width(rng), sizes.length(rng), rng.randint(1, 3), rng.randint(4, 13)
    text = ["model random(vocab: int) {"]
    shared, blocks = {"gain": [width], "mix": [width, width]}, []  # weights of the model, by their shapes
    for number in range(rng.randint(1, 3)):
        double, weights = rng.random() < 0.3, rng.choice([[], [], [], ["gain"], ["mix"]])
        arguments = ["x", "y"] if double else ["x"]
        callees = [call for call, is_double in blocks if not is_double and call.endswith("({})")]
        lines = Block(rng, sizes, length, width, callees, wide).write(arguments, len(arguments), *map(shared.get, weights))
        header = ", ".join([*arguments, *(["shared"] if weights else [])])
        text += [f"  block block{number}({header}) {{", *(f"    {line}" for line in lines), "  }"]
        blocks.append((f"block{number}({', '.join(['{}', *weights])})", double))
    tied = rng.random() < 0.2
    embed = "embed(tokens, weight = table)" if tied else f"embed(tokens, vocab, {width})"
    text += [f"  table = parameter(vocab, {width})"] if tied else []
    frozen = f"embed(tokens, weight = parameter(vocab, {width}, frozen = true))"  # has no gradient
    if wide and rng.random() < 0.15:
        embed += f" + embed(positions(), {rng.choice(['', '150, '])}width = {width})"  # of any length that is checked
    text += [f"  x = {embed}", "  first = x", f"  y = {rng.choice(['tanh(x)', 'tanh(x)', frozen])}"]
    loops = [repeats(rng, blocks) for _ in range(rng.randint(1, 2))]
    if wide and rng.random() < 0.2:
        loops[-1] = f"repeat 2 {{ {loops[-1]} }}"
    if wide and random.Random(f"recompute {seed}").random() < 0.2:
        loops = [re.sub(r"(x = )(block\d+\([^()]*\))", r"\1recompute(\2)", loop) for loop in loops]
    read = {name: shape for name, shape in shared.items() if any(name in loop for loop in loops)}
    text += [f"  {name} = parameter({', '.join(map(str, shape))})" for name, shape in read.items()]
    text += [f"  {loop}" for loop in loops]
    text += [f"  return linear(rms_norm(x), {'weight = table' if tied else 'vocab'}){added(rng)}", "}"]
    return "\n".join(text) + "\n", batch, length, vocabulary
