"""Random weights of the language: parameters, and what is computed from them alone."""
import random

ELEMENTWISE = ["tanh({})", "sigmoid({})", "softplus({})", "-{}", "exp(tanh({}))", "square({})", "0.5 * {}", "1.5 - {}", "max({}, 0.125)"]


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


class Weights:
    """Draws weights beside `rng`, which does not move: who draws from that gets the same with and without weights."""

    def __init__(self, rng):
        self.rng, self.statements, self.names = random.Random(str(rng.getstate())), [], 0

    def chance(self, probability):
        return self.rng.random() < probability

    def parameter(self, shape):
        frozen = ", frozen = true" if self.chance(0.1) else ""
        return f"parameter({', '.join(map(str, shape))}, init = normal(0.5){frozen})"

    def draw(self, shape, depth):
        """An expression of that shape, of columns or of rows of them. It may need `statements` to stand before it."""
        if depth == 0:
            return self.parameter(shape)
        kinds = [self.elementwise, self.arithmetic, self.norm, self.keep_top, self.spread, self.slice, self.split]
        kinds += [self.softmax, self.concat] if shape[-1] > 1 else []
        return self.rng.choice(kinds)(*shape[:-1], shape[-1], depth=depth - 1)

    def elementwise(self, *shape, depth):
        return self.rng.choice(ELEMENTWISE).format(self.draw(shape, depth))

    def arithmetic(self, *shape, depth):
        return f"({self.draw(shape, depth)} {self.rng.choice('+-*')} {self.draw(shape, 0)})"

    def norm(self, *shape, depth):
        name, heads = self.rng.choice(["rms_norm", "layer_norm", "l2_norm"]), self.rng.choice(divisors(shape[-1]))
        if heads == shape[-1]:  # of single numbers: the gradient is rounding alone
            name, heads = ("l2_norm", 1) if shape[-1] > 1 else ("rms_norm", 1)
        return f"{name}({self.draw(shape, depth)}, heads = {heads})"

    def softmax(self, *shape, depth):
        return f"softmax({self.draw(shape, depth)}, heads = {self.rng.choice(divisors(shape[-1])[:-1])})"

    def keep_top(self, *shape, depth):
        heads = self.rng.choice(divisors(shape[-1]))
        return f"keep_top({self.draw(shape, depth)}, {self.rng.randint(1, min(4, shape[-1] // heads))}, heads = {heads})"

    def spread(self, *rows, depth):
        *rows, columns = rows
        few = self.draw((*rows, self.rng.choice(divisors(columns))), depth)
        return f"{self.rng.choice(['spread', 'tile'])}({few}, {columns})"

    def slice(self, *rows, depth):
        *rows, columns = rows
        before, behind, heads = self.rng.randint(0, 3), self.rng.randint(0, 3), self.rng.choice(divisors(columns))
        whole = self.draw((*rows, (before + columns // heads + behind) * heads), depth)
        return f"slice({whole}, {before}, {columns // heads}, heads = {heads})"

    def split(self, *rows, depth):
        *rows, columns = rows
        parts, self.names = self.rng.randint(2, 3), self.names + 1
        names = [f"weight{self.names}_{part}" for part in range(parts)]
        heads = self.rng.choice(divisors(columns))
        whole = self.draw((*rows, parts * columns), depth)
        self.statements.append(f"{', '.join(names)} = split({whole}, {parts}, heads = {heads})")
        return self.rng.choice(names)

    def concat(self, *rows, depth):
        *rows, columns = rows
        heads = self.rng.choice([each for each in divisors(columns) if each < columns])
        left = self.rng.randint(1, columns // heads - 1) * heads
        return f"concat({self.draw((*rows, left), depth)}, {self.draw((*rows, columns - left), 0)}, heads = {heads})"
