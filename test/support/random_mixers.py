"""Random models around linear mixers, as people write them: Canon layers before and behind the projections, gates, norms of
heads, layers of other mixers and of attention beside them."""
import random

from random_specs import SMALL, Block, divisors


class Mixer(Block):
    """Writes a block with one mixer of any kind."""

    def __init__(self, rng, length, width):
        super().__init__(rng, SMALL, length, width, callees=[])

    def maybe(self, chance, line):
        if self.rng.random() < chance:
            self.lines.append(line)

    def convolution(self, names):
        """What stands between the projections and the mixer."""
        names = ", ".join(names)
        return self.rng.choice([f"{names} = canon({names}, {self.canon_options()})",
                                f"{names} = canon({names}, residual = false, activation = silu)",
                                f"{names} = canon({names}, residual = false, activation = silu, bias = true)"])  # fmt: skip

    def write_mixer(self):
        """Projections are variables of some width, from which Block.mixer_of chooses its operands."""
        rng, self.variables = self.rng, {"h": self.width}
        values = self.width * rng.choice([1, 1, 1, 2, 5])  # many heads, as recurrences of each column by itself have
        self.lines += [f"h = {rng.choice(['rms_norm', 'layer_norm'])}(x)"]
        self.maybe(0.4, f"h = canon(h, {self.canon_options()})")
        heads, columns = rng.choice(divisors(values)), rng.randint(1, 5)
        key_heads = rng.choice(divisors(heads))
        projections = {"q": key_heads * columns, "k": key_heads * columns, "v": values, "a": heads, "c": heads * columns}
        for name, width in projections.items():
            bias = ", bias = true" if rng.random() < 0.2 else ""
            self.lines.append(f"{name} = linear(h, {width}{bias})")
        self.maybe(0.6, self.convolution(rng.sample("qkv", rng.randint(1, 3))))
        self.variables |= projections
        self.lines.append(f"o = {self.mixer_of(values, 1, heads, key_heads, columns)}")
        self.maybe(0.3, f"o = o + {rng.choice(['v', 'canon(v)', 'shift(v, 1)'])} * parameter({values})")
        gate = rng.choice(["silu", "sigmoid"]) + f"(linear(h, {values}))"
        norm = f"rms_norm(o, heads = {rng.choice(divisors(values))})"
        self.lines.append("o = " + rng.choice(["o", norm, f"o * {gate}", f"{norm} * {gate}", f"rms_norm(o * {gate})"]))
        self.lines.append(f"return x + linear(o, {self.width})")
        return self.lines

    def write_attention(self):
        self.variables, self.lines = {"h": self.width}, ["h = rms_norm(x)"]
        self.maybe(0.4, "h = canon(h)")
        self.lines.append(f"return x + linear({self.attention(self.width, 1).replace(', causal = false', '')}, {self.width})")
        return self.lines

    def write_mlp(self):
        self.lines = ["h = rms_norm(x)"]
        self.maybe(0.4, "h = canon(h)")
        ffn = self.rng.randint(3, 8)
        self.lines.append(f"gate, up = linear(h, {ffn}), linear(h, {ffn})")
        self.maybe(0.4, "gate, up = canon(gate, up)")
        return [*self.lines, f"return x + linear(silu(gate) * up, {self.width})"]


def random_length(rng):
    """Mostly short; some cross the chunks of 32 tokens, few the segments of 64."""
    return rng.choice([rng.randint(1, 9)] * 6 + [rng.randint(10, 31), rng.randint(32, 34), rng.randint(35, 70), rng.randint(120, 140)])


def random_mixer_spec(seed):
    """(text, batch, length, vocabulary) of a valid model."""
    rng = random.Random(f"mixers {seed}")
    width, length = rng.randint(2, 8), random_length(rng)
    writers = {"mixer": lambda each: each.write_mixer()}
    if rng.random() < 0.25:
        writers[rng.choice(["other", "attention"])] = lambda each: each.write_mixer()
    if "attention" in writers:
        writers["attention"] = lambda each: each.write_attention()
    if rng.random() < 0.25:
        writers["mlp"] = lambda each: each.write_mlp()
    text = ["model random(vocab: int) {"]
    for name, write in writers.items():
        lines = write(Mixer(rng, length, width))
        text += [f"  block {name}(x) {{", *(f"    {line}" for line in lines), "  }"]
    calls = " ".join(f"x = {name}(x)" for name in writers)
    text += [f"  x = embed(tokens, vocab, {width})"]
    text += [rng.choice([f"  {calls}", f"  repeat {rng.randint(1, 3)} {{ {calls} }}"])]
    text += ["  return linear(rms_norm(x), vocab)", "}"]
    return "\n".join(text) + "\n", 1 if length > 70 else rng.randint(1, 3), length, rng.randint(4, 9)
