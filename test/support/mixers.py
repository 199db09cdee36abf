"""Modules with one mixer and its gradient, and numbers for them."""
import numpy as np


class Mixer:
    """One mixer with its gradient. `erases` is None, "beta" or "erase"; `decay` the log decay of a step, or None, with
    `forgets` now and then minus infinity."""

    def __init__(self, erases=None, decay=-0.3, by_channel=False, before=False, write=False, documents=False, shared=False,
                 batch=2, time=130, key_heads=2, sharers=1, keys=5, values=7, segment=64, element="f64",
                 forgets=False):  # fmt: skip
        self.__dict__.update({name: value for name, value in locals().items() if name != "self"})
        self.heads = key_heads * sharers

    def __str__(self):
        return str({name: value for name, value in self.__dict__.items() if value not in (None, False)})

    def operands(self):
        """Columns of the operands by name; None: one row for all."""
        optional = {}
        if self.decay is not None:
            optional["decay"] = self.heads * (self.keys if self.by_channel else 1)
        if self.write:
            optional["write"] = self.heads
        if self.erases:
            optional[self.erases] = self.heads * (self.keys if self.erases == "erase" else 1)
        return {"q": self.key_heads * self.keys, "k": self.key_heads * self.keys, "v": self.heads * self.values} | optional

    def kind(self, name):
        """Stored rows may be bf16, the others are exact."""
        element = "f32" if self.element == "bf16" and name in ("decay", "write", "beta", "states") else self.element
        if name == "states":
            return f"tensor<{self.batch}x{self.heads}x{-(-self.time // self.segment)}x{self.keys * self.values}x{element}>"
        columns = self.operands()[name]
        rows = "" if name == "decay" and self.shared else f"{self.batch}x{self.time}x"
        return f"tensor<{rows}{columns}x{element}>"

    def heads_of_part(self):
        """As at seq.mixer_grad."""
        return 16 if self.keys * self.values <= 128 and self.sharers % 16 == 0 else 1

    def gradient_kind(self, name):
        columns = self.heads // self.heads_of_part() * self.keys if name in "qk" else self.operands()[name]
        return f"tensor<{self.batch}x{self.time}x{columns}x{self.kind(name)[:-1].split('x')[-1]}>"

    def module(self, name="main"):
        names = list(self.operands())
        optional = " ".join(f"{each} %{each} : {self.kind(each)}" for each in names[3:])
        arguments = ", ".join(f"%{each}: {self.kind(each)}" for each in names)
        positions = f" positions %positions : tensor<{self.batch}x{self.time}xi32>" if self.documents else ""
        if self.documents:
            arguments += f", %positions: tensor<{self.batch}x{self.time}xi32>"
        sizes = f"heads {self.heads} key_heads {self.key_heads} scale 0.75 segment {self.segment}"
        sizes += " read_before" if self.before else ""
        q, v, states = self.kind("q"), self.kind("v"), self.kind("states")
        gradients = [self.gradient_kind(each) for each in names]
        results = " ".join([gradients[0], *(f"{each} {kind}" for each, kind in zip(names[3:], gradients[3:]))])
        count = len(names)
        return f"""
func.func @{name}({arguments}, %grad: {v}) -> ({", ".join([v, *gradients])}) {{
  %o, %states = seq.mixer %q, %k, %v {optional}{positions} {sizes} : {q}, {v} -> {states}
  %d:{count} = seq.mixer_grad %grad, %q, %k, %v {optional}{positions} states %states {sizes} : {q}, {v}, {states} -> {results}
  return %o, {", ".join(f"%d#{i}" for i in range(count))} : {", ".join([v, *gradients])}
}}"""

    def numbers(self):
        random = np.random.default_rng(7)
        rows = (self.batch, self.time)
        result = []
        for name, columns in self.operands().items():
            shape = (columns,) if name == "decay" and self.shared else (*rows, columns)
            x = random.normal(size=shape)
            if name == "decay":
                x = self.decay * random.uniform(0, 2, shape)
                x = np.where(self.forgets & (random.random(shape) < 0.03), -np.inf, x)
            if name in ("erase", "k"):
                x = x / np.sqrt(self.keys)
            result.append(random.uniform(0, 1, shape) if name in ("beta", "write") else x)
        if self.documents:
            result.append(positions(random, *rows))
        return [*result, random.normal(size=(*rows, self.heads * self.values))]


def positions(random, batch, time):
    """Of tokens in their documents; some begin at the border of a chunk, some are of one token."""
    begins = random.random((batch, time)) < 0.05
    begins[:, 0] = begins[:, 64:66] = True
    number = np.arange(time) - np.zeros((batch, 1), int)
    return number - np.maximum.accumulate(np.where(begins, number, 0), 1)
