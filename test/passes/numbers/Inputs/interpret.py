"""Runs modules of the dialects seq and kern, printed in generic form, on numpy arrays in double precision.

    interpret.py A.mlir B.mlir BATCHxTIMExVOCABULARY

runs @gradients and @evaluate of both with the same parameters and inputs and compares all results and the
gradients of all parameters, part by part, so that A and B may store them differently. Used to see that a pass
changes how something is computed and not what.
"""
import math
import re
import sys
import zlib

import numpy as np

LINE = re.compile(r'\s*(?:(?P<results>%[\w, %:]+) = )?"(?P<name>[\w.]+)"\((?P<operands>[^)]*)\)(?P<rest>.*)')
BLOCK = re.compile(r"\s*\^bb\d+\((.*)\):")
END = re.compile(r"\s*\}\)(.*)")
TENSOR = re.compile(r"tensor<((?:\d+x)*)\w+>")
TOLERANCE = 1e-10


class Op:
    """One operation: name, operands, results, the shapes of its results, the text of its attributes, its body."""

    def __init__(self, match):
        self.name = match["name"]
        self.operands = re.findall(r"%\w+(?:#\d+)?", match["operands"])
        self.rest, self.body, self.arguments, self.results = match["rest"], [], [], []
        if match["results"]:
            name, _, count = match["results"].partition(":")
            self.results = [f"{name}#{i}" for i in range(int(count))] if count else [name]

    def finish(self):
        _, arrow, results = self.rest.rsplit(" : ", 1)[-1].partition(" -> ")
        sizes = TENSOR.findall(results) if arrow else []
        self.shapes = [tuple(int(size) for size in text.split("x")[:-1]) for text in sizes]

    def text(self, key, pattern):
        return re.search(rf"\b{key} = {pattern}", self.rest)[1]

    def number(self, key):
        return int(self.text(key, r"(-?\d+)"))

    def real(self, key):
        return float(self.text(key, r"([-+.\de]+)"))

    def list(self, key):
        return [int(n) for n in re.findall(r"\d+", self.text(key, r"array<i\d+:?([^>]*)>"))]


def parse(path):
    """The functions by name, and the parameters by name as lists of (part, rows), with the dimension of the rows."""
    functions, parameters, nesting = {}, {}, []
    for line in open(path, encoding="utf-8"):
        if block := BLOCK.match(line):
            nesting[-1].arguments = re.findall(r"(%\w+):", block[1])
        elif end := END.match(line):
            if nesting:
                nesting[-1].rest += end[1]
                nesting.pop().finish()
        elif match := LINE.match(line):
            op = Op(match)
            if op.name == "func.func":
                functions[op.text("sym_name", r'"([^"]+)"')] = op
            elif op.name == "seq.parameter":
                parts = [(name, int(rows)) for name, rows in re.findall(r'#seq\.part<"([^"]*)", (\d+)', op.rest)]
                parameters[op.text("sym_name", r'"([^"]+)"')] = (parts, int("stacked" in re.sub('"[^"]*"', "", op.rest)))
            elif nesting:
                nesting[-1].body.append(op)
            if line.rstrip().endswith("({") and op.name != "builtin.module":
                nesting.append(op)
            else:
                op.finish()
    return functions, parameters


UNARY = {
    "math.tanh": np.tanh, "math.exp": np.exp, "math.log": np.log, "math.sqrt": np.sqrt, "math.absf": np.abs,
    "math.rsqrt": lambda x: x**-0.5, "math.erf": np.vectorize(math.erf), "arith.negf": np.negative,
    "seq.sigmoid": lambda x: 1 / (1 + np.exp(-x)), "seq.softplus": lambda x: np.logaddexp(x, 0),
    "arith.sitofp": lambda x: x.astype(float), "arith.fptosi": lambda x: x.astype(int),
}
BINARY = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide,
    "arith.maximumf": np.maximum, "arith.minimumf": np.minimum,
}
COMPARE = {1: np.equal, 2: np.greater, 3: np.greater_equal, 4: np.less, 5: np.less_equal, 6: np.not_equal}


def tap(x, offset):
    result = np.zeros_like(x)
    time = x.shape[1]
    low, high = max(0, -offset), min(time, time - offset)
    result[:, low:high] = x[:, low + offset:high + offset]
    return result


def permute(x, op):
    result, rotated = x.copy(), op.number("rotated")
    half = rotated // 2
    first, second = (slice(0, half), slice(half, rotated)) if "half_split" in op.rest else (
        slice(0, rotated, 2), slice(1, rotated, 2))
    result[..., first], result[..., second] = x[..., second], x[..., first]
    return result


def table(op):
    (time, width), rotated = op.shapes[0], op.number("rotated")
    cosine = "rotary_cos" in op.rest
    result = np.full((time, width), float(cosine))
    for column in range(rotated):
        half = rotated // 2
        pair, first = (column % half, column < half) if "half_split" in op.rest else (column // 2, column % 2 == 0)
        angle = np.arange(time) * op.real("theta") ** (-2 * pair / rotated)
        result[:, column] = np.cos(angle) if cosine else np.sin(angle) * (-1 if first else 1)
    return result


def attention(op, q, k, v):
    """Heads apart, probabilities, result and log-sum-exp."""
    batch, time, _ = q.shape
    heads, groups = op.number("heads"), op.number("kv_heads")
    split = lambda x, n: x.reshape(batch, time, n, -1).transpose(0, 2, 1, 3)
    q, k, v = split(q, heads), *(np.repeat(split(x, groups), heads // groups, axis=1) for x in (k, v))
    scores = op.real("scale") * q @ k.swapaxes(2, 3)
    if "causal" in op.rest:
        scores = np.where(np.tril(np.ones((time, time), bool)), scores, -np.inf)
    lse = np.log(np.exp(scores - scores.max(-1, keepdims=True)).sum(-1)) + scores.max(-1)
    p = np.exp(scores - lse[..., None])
    return q, k, v, p, (p @ v).transpose(0, 2, 1, 3).reshape(batch, time, -1), lse


def attention_grad(op, grad, q, k, v):
    batch, time, _ = q.shape
    heads, groups = op.number("heads"), op.number("kv_heads")
    qh, kh, vh, p, _, _ = attention(op, q, k, v)
    dout = grad.reshape(batch, time, heads, -1).transpose(0, 2, 1, 3)
    dp = dout @ vh.swapaxes(2, 3)
    ds = op.real("scale") * p * (dp - (dp * p).sum(-1, keepdims=True))
    join = lambda x: x.transpose(0, 2, 1, 3).reshape(batch, time, -1)
    share = lambda x: join(x.reshape(batch, groups, heads // groups, time, -1).sum(2))
    return [join(ds @ kh), share(ds.swapaxes(2, 3) @ qh), share(p.swapaxes(2, 3) @ dout)]


def weight_grad(dy, x, *more):
    return dy.reshape(-1, dy.shape[-1]).T @ x.reshape(-1, x.shape[-1]) + sum(more)


def embed_grad(shape, tokens, dy, *more):
    result = np.zeros(shape)
    np.add.at(result, tokens, dy)
    return result + sum(more)


class Machine:
    def __init__(self, path):
        self.functions, self.parameters = parse(path)
        self.gradients = {}

    def call(self, name, values):
        function = self.functions[name]
        return self.run(function.body, dict(zip(function.arguments, values)), None)

    def run(self, body, values, rows):
        """`rows`: None outside of kernels; inside, batch and time, which lead every array (1 where all rows agree)."""
        for op in body:
            operands = [values[name] for name in op.operands]
            if op.name in ("func.return", "kern.yield"):
                return operands
            results = self.compute(op, operands, rows)
            results = results if isinstance(results, list) else [results]
            for name, result, shape in zip(op.results, results, op.shapes):
                if rows is None and result.shape != shape:
                    raise SystemExit(f"{op.name} should make {shape}, but got {result.shape}")
                values[name] = result

    def compute(self, op, operands, rows):
        for table_, count in ((UNARY, 1), (BINARY, 2)):
            if op.name in table_:
                return table_[op.name](*operands[:count])
        method = getattr(self, op.name.replace(".", "_"), None)
        if not method:
            raise SystemExit(f"no meaning of {op.name} is known")
        return method(op, rows, *operands)

    # Rows. In a kernel two dimensions lead that the shapes of the body do not have.
    def arith_constant(self, op, rows):
        text = re.search(r"dense<([^>]*)>", op.rest)[1]
        return np.full(self.lead(rows) + op.shapes[0], float({"true": 1, "false": 0}.get(text, text)))

    def arith_cmpf(self, op, rows, a, b):
        return COMPARE[op.number("predicate")](a, b)

    def arith_select(self, op, rows, condition, a, b):
        return np.where(condition, a, b)

    def seq_reduce(self, op, rows, x):
        kind = re.search(r"reduce_kind ?<?(\w+)|kind = (\d)", op.rest)
        return {"add": np.sum, "max": np.max, "min": np.min, "0": np.sum, "1": np.max, "2": np.min}[
            kind[1] or kind[2]](x, axis=-1)

    def seq_broadcast(self, op, rows, x):
        lead = x.shape[:len(self.lead(rows))]
        shape = [1] * len(op.shapes[0])
        for i, dim in enumerate(op.list("dims")):
            shape[dim] = x.shape[len(lead) + i]
        return np.broadcast_to(x.reshape(lead + tuple(shape)), lead + op.shapes[0])

    def seq_tap(self, op, rows, x):
        return tap(self.spread(rows, x), op.number("offset"))

    def seq_permute(self, op, rows, x):
        return permute(x, op)

    def seq_slice(self, op, rows, x):
        return x[..., op.number("offset"):op.number("offset") + op.shapes[0][-1]]

    def seq_concat(self, op, rows, *pieces):
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in pieces))
        return np.concatenate([np.broadcast_to(x, lead + x.shape[-1:]) for x in pieces], -1)

    def seq_reshape(self, op, rows, x):
        return x.reshape(x.shape[:len(self.lead(rows))] + op.shapes[0])

    def seq_column_sum(self, op, rows, x):
        x = self.spread(rows, x)
        return x.sum(axis=tuple(range(x.ndim - len(op.shapes[0]))))

    def seq_column_index(self, op, rows):
        return np.broadcast_to(np.arange(op.shapes[0][-1], dtype=float), self.lead(rows) + op.shapes[0])

    @staticmethod
    def lead(rows):
        return (1, 1) if rows else ()

    @staticmethod
    def spread(rows, x):
        return np.array(np.broadcast_to(x, rows + x.shape[2:])) if rows else x

    # Everything else is outside of kernels.
    def seq_table(self, op, rows):
        return table(op)

    def seq_linear(self, op, rows, x, w):
        return x @ w.T

    def seq_linear_input_grad(self, op, rows, dy, w):
        return dy @ w

    def seq_linear_weight_grad(self, op, rows, *operands):
        return weight_grad(*operands)

    def seq_embed(self, op, rows, tokens, weight):
        return weight[tokens]

    def seq_embed_grad(self, op, rows, *operands):
        return embed_grad(op.shapes[0], *operands)

    def seq_attention(self, op, rows, q, k, v):
        return list(attention(op, q, k, v)[-2:])

    def seq_attention_grad(self, op, rows, grad, q, k, v, out, lse):
        return attention_grad(op, grad, q, k, v)

    def seq_get_parameter(self, op, rows):
        parts, axis = self.parameters[op.text("parameter", r'@"?([\w.]+)')]
        shape, pieces = op.shapes[0], []
        for name, count in parts:
            random = np.random.default_rng(zlib.crc32(name.encode()))
            pieces.append(0.3 * random.normal(size=shape[:axis] + (count,) + shape[axis + 1:]))
        return np.concatenate(pieces, axis)

    def seq_gradient(self, op, rows, value):
        parts, axis = self.parameters[op.text("parameter", r'@"?([\w.]+)')]
        begin = 0
        for name, count in parts:
            self.gradients[name] = value.take(range(begin, begin + count), axis)
            begin += count
        return []

    def seq_scan(self, op, rows, *operands):
        carries, slices, _ = op.list("operandSegmentSizes")
        carry, trips = list(operands[:carries]), range(op.number("trips"))
        stacks = [[None] * len(trips) for _ in op.results[carries:]]
        for i in reversed(trips) if "reverse" in op.rest else trips:
            sliced = [x[i] for x in operands[carries:carries + slices]]
            results = self.call(op.text("body", r"@([\w.]+)"), carry + sliced + list(operands[carries + slices:]))
            carry = results[:carries]
            for stack, entry in zip(stacks, results[carries:]):
                stack[i] = entry
        return carry + [np.stack(stack) for stack in stacks]

    def kern_rowwise(self, op, rows, *operands):
        maps = re.findall(r"row_map ?<(\w+)>", op.rest)
        rows = next(x.shape[:2] for x, kind in zip(operands, maps) if kind == "row")
        lead = {"row": (), "time": (1,), "shared": (1, 1)}
        arguments = [x.reshape(lead[kind] + x.shape) for x, kind in zip(operands, maps)]
        results = self.run(op.body, dict(zip(op.arguments, arguments)), rows)
        return [x if x.shape == shape else np.broadcast_to(x, shape) for x, shape in zip(results, op.shapes)]


def evaluate(path, entry, inputs):
    machine = Machine(path)
    results = machine.call(entry, inputs)
    return {f"result {i}": x for i, x in enumerate(results)} | machine.gradients


def main(first, second, sizes):
    batch, time, vocabulary = map(int, sizes.split("x"))
    random = np.random.default_rng(1)
    tokens, targets = random.integers(0, vocabulary, (2, batch, time))
    inputs = {"gradients": [tokens, targets, random.random((batch, time))], "evaluate": [tokens, targets]}
    for entry, values in inputs.items():
        a, b = evaluate(first, entry, values), evaluate(second, entry, values)
        if a.keys() != b.keys():
            raise SystemExit(f"@{entry}: only one of the two has {sorted(a.keys() ^ b.keys())}")
        worst, name = max((abs(a[k] - b[k]).max() / (abs(a[k]).max() or 1), k) for k in a)
        if not worst < TOLERANCE:
            raise SystemExit(f"@{entry}: {name} differs by {worst:.1e} of its largest entry")
        print(f"@{entry}: {len(a)} values agree")


main(*sys.argv[1:])
