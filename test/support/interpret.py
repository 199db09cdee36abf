"""Runs modules of the dialects seq and kern with NumPy, in double precision.

For tests of passes: whatever a pass makes of a module, the numbers must stay. Nothing here is fast or clever; each
operation is one line taken from its description. Values of a type bf16 are rounded to it where they are made.
"""
import math
import re
import struct

import experts
import numpy as np
from dropout import dropout, keys_of_dropout
from mlir_text import parse_module, shape_of, split
from recurrence import Recurrence
from walks import Tiles, walk

COMPARE = {1: np.equal, 2: np.greater, 3: np.greater_equal, 4: np.less, 5: np.less_equal, 6: np.not_equal}

def to_bf16(x):
    """The nearest numbers of eight bits of precision (ties to even), as f64. No number of these tests is subnormal."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(mantissa, 8)), exponent - 8)


ELEMENTWISE = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.negf": np.negative,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.select": np.where,
    "arith.extf": lambda x: x,
    "arith.truncf": lambda x: x,
    "arith.sitofp": lambda x: x.astype(np.float64),
    "arith.fptosi": lambda x: x.astype(np.int64),
    "math.exp": np.exp,
    "math.log": np.log,
    "math.sqrt": np.sqrt,
    "math.rsqrt": lambda x: 1 / np.sqrt(x),
    "math.tanh": np.tanh,
    "math.sin": np.sin,
    "math.cos": np.cos,
    "math.absf": np.abs,
    "math.erf": lambda x: np.frompyfunc(math.erf, 1, 1)(x).astype(np.float64),
    "seq.sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "seq.softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
}


def constant(op):
    shape, element = shape_of(op.result_types[0])
    text = op.attributes["value"].split("dense<", 1)[1].rsplit(">", 2)[0].split("> : tensor")[0]

    def number(word):
        if word.startswith("0x"):
            form = {"f64": ">d", "f32": ">f", "bf16": ">f"}[element]
            return struct.unpack(form, bytes.fromhex(word[2:] + ("0000" if element == "bf16" else "")))[0]
        return {"true": 1.0, "false": 0.0}.get(word, None) if word in ("true", "false") else float(word)

    values = [number(word) for word in text.replace("[", " ").replace("]", " ").replace(",", " ").split()]
    dtype = {"i32": np.int64, "i1": bool}.get(element, np.float64)
    return np.broadcast_to(np.array(values, dtype).reshape(shape if len(values) > 1 else ()), shape)


def partner(style, rotated, columns):
    """The column that each column changes places with."""
    j = np.arange(columns)
    half = rotated // 2
    other = np.where(j < half, j + half, j - half) if style == "half_split" else j ^ 1
    return np.where(j < rotated, other, j)


def table(op):
    (length, columns), _ = shape_of(op.result_types[0])
    rotated, j = op.integer("rotated"), np.arange(columns)
    half_split = op.word("style") == "half_split"
    pair = j % (rotated // 2) if half_split else j // 2
    is_first = j < rotated // 2 if half_split else j % 2 == 0
    angle = np.arange(length)[:, None] * op.real("theta") ** (-2.0 * pair / rotated)
    if op.word("kind") == "rotary_cos":
        return np.where(j < rotated, np.cos(angle), 1.0)
    return np.where(j < rotated, np.where(is_first, -1, 1) * np.sin(angle), 0.0)


def tap(x, offset):
    """Time is the second dimension."""
    y = np.zeros_like(x)
    length = x.shape[1]
    if offset <= 0:
        y[:, min(-offset, length) :] = x[:, : max(length + offset, 0)]
    else:
        y[:, : max(length - offset, 0)] = x[:, min(offset, length) :]
    return y


def heads_first(x, heads):
    batch, length, columns = x.shape
    return x.reshape(batch, length, heads, columns // heads).transpose(0, 2, 1, 3)


def heads_last(x):
    batch, heads, length, columns = x.shape
    return x.transpose(0, 2, 1, 3).reshape(batch, length, heads * columns)


def given(op, kind, names, values):
    """The operands (or results) of an operation by name; some may be left out."""
    sizes, rest = op.integers(kind), list(values)
    return {name: rest.pop(0) for name, size in zip(names, sizes, strict=True) if size}


ATTENTION_OPERANDS = ("q", "k", "v", "sinks", "decay", "bias", "positions", "starts")


def attention_weights(op, q, k, positions=None, decay=None, bias=None):
    """Queries, repeated keys, their scores, and the derivatives of these by what they are before they are capped."""
    heads, kv_heads = op.integer("heads"), op.integer("kv_heads")
    q, k = heads_first(q, heads), np.repeat(heads_first(k, kv_heads), heads // kv_heads, 1)
    scores = op.real("scale") * q @ k.swapaxes(-1, -2)
    slope = 1.0  # what capping makes of derivatives
    if "cap" in op:
        scores = np.tanh(scores / op.real("cap"))
        slope, scores = 1 - scores**2, scores * op.real("cap")
    token = np.arange(scores.shape[-1])
    distance = token[:, None] - token
    if "alibi" in op:
        scores -= 2.0 ** (-8 * np.arange(1, heads + 1) / heads)[:, None, None] * distance
    if decay is not None:
        sums = decay.transpose(0, 2, 1).cumsum(-1)
        scores = scores + sums[..., None] - sums[..., None, :]
    if bias is not None:
        scores = scores + bias[:, np.clip(distance, 0, bias.shape[1] - 1)]
    if "causal" in op:
        scores = np.where(distance >= 0, scores, -np.inf)
    if "window" in op:
        scores = np.where(distance < op.integer("window"), scores, -np.inf)
    if positions is not None:
        begins = np.arange(positions.shape[1]) - positions
        scores = np.where(begins[:, None, :, None] == begins[:, None, None, :], scores, -np.inf)
    return q, k, scores, slope


def attention(op, *inputs):
    heads, kv_heads = op.integer("heads"), op.integer("kv_heads")
    operands = given(op, "operandSegmentSizes", ATTENTION_OPERANDS, inputs)
    v = operands["v"]
    _, _, scores, _ = attention_weights(op, operands["q"], operands["k"], *map(operands.get, ("positions", "decay", "bias")))
    largest = scores.max(-1, keepdims=True)
    total, sinks = np.exp(scores - largest).sum(-1, keepdims=True), operands.get("sinks")
    if sinks is not None:
        total = total + np.exp(sinks[:, None, None] - largest)
    lse = largest + np.log(total)
    v = np.repeat(heads_first(v, kv_heads), heads // kv_heads, 1)
    out = heads_last(np.exp(scores - lse) @ v)
    if sinks is None:
        return out, lse[..., 0]
    return out, lse[..., 0], np.exp(sinks - lse[..., 0].transpose(0, 2, 1))


def attention_grad(op, *inputs):
    heads, kv_heads = op.integer("heads"), op.integer("kv_heads")
    names = ("grad", "q", "k", "v", "out", "lse", "decay", "bias", "positions", "starts")
    operands = given(op, "operandSegmentSizes", names, inputs)
    grad, q, k, v, out, lse = (operands[name] for name in names[:6])
    batch, length = q.shape[:2]
    q, k, scores, slope = attention_weights(op, q, k, *map(operands.get, ("positions", "decay", "bias")))
    v = np.repeat(heads_first(v, kv_heads), heads // kv_heads, 1)
    grad, out = heads_first(grad, heads), heads_first(out, heads)
    p = np.exp(scores - lse[..., None])
    dp = grad @ v.swapaxes(-1, -2)
    of_scores = p * (dp - (grad * out).sum(-1, keepdims=True))
    ds = op.real("scale") * slope * of_scores

    def of_groups(x):  # the sum over the query heads that share a key/value head
        return heads_last(x.reshape(batch, kv_heads, heads // kv_heads, length, -1).sum(2))

    results = [heads_last(ds @ k), of_groups(ds.swapaxes(-1, -2) @ q), of_groups(p.swapaxes(-1, -2) @ grad)]
    if "decay" in operands:
        of_sums = of_scores.sum(-1) - of_scores.sum(-2)  # what a sum so far adds to its queries, and takes from its keys
        results.append(of_sums[..., ::-1].cumsum(-1)[..., ::-1].transpose(0, 2, 1))
    if "bias" in operands:
        results.append(np.zeros_like(operands["bias"]))
        for distance in range(length):
            of_distance = np.trace(of_scores.sum(0), -distance, axis1=1, axis2=2)
            results[-1][:, min(distance, results[-1].shape[1] - 1)] += of_distance
    return tuple(results)


MIXER_OPERANDS = ("q", "k", "v", "decay", "write", "beta", "erase", "erase_write", "positions")


class Mixer:
    """seq.mixer, or its gradient, for operands by name."""

    def __init__(self, op, operands):
        self.operands, heads, key_heads = operands, op.integer("heads"), op.integer("key_heads")
        split_heads = lambda x: x.reshape(*x.shape[:2], heads, -1)
        q, k = (np.repeat(operands[name].reshape(*operands[name].shape[:2], key_heads, -1), heads // key_heads, 2)
                for name in ("q", "k"))  # fmt: skip
        optional = {name: split_heads(x) for name, x in operands.items() if name in ("write", "erase", "erase_write", "beta")}
        if "decay" in operands:
            optional["decay"] = split_heads(np.broadcast_to(operands["decay"], (*q.shape[:2], operands["decay"].shape[-1])))
        self.beta = optional.get("beta")
        self.recurrence = Recurrence(
            q, k, split_heads(operands["v"]), optional.get("decay"),
            optional.get("write") if self.beta is None else self.beta,
            optional.get("erase") if self.beta is None else self.beta * k, optional.get("erase_write"),
            op.real("scale"), "read_before" in op, operands.get("positions"),
        )  # fmt: skip

    def forward(self, op):
        out = self.recurrence.forward()
        results = [out.reshape(*out.shape[:2], -1)]
        if len(op.result_types) > 1:
            states = np.stack(self.recurrence.states[:: op.integer("segment")][: shape_of(op.result_types[1])[0][2]], 2)
            results.append(states.reshape(*states.shape[:3], -1))
        return tuple(results)

    def backward(self, op, grad):
        recurrence = self.recurrence
        recurrence.forward()
        gradients = recurrence.backward(grad.reshape(recurrence.v.shape))
        of_key = gradients["k"] + (0.0 if "erase_write" in self.operands else gradients["p"])
        of_strength = gradients["w"]
        if self.beta is not None:
            of_key = of_key + self.beta * gradients["r"]
            of_strength = of_strength + (recurrence.k * gradients["r"]).sum(-1, keepdims=True)
        by_name = {"q": gradients["q"], "k": of_key, "v": gradients["v"], "decay": self.by_column(gradients["decay"]),
                   "write": of_strength, "beta": of_strength, "erase": gradients["r"], "erase_write": gradients["p"]}  # fmt: skip
        sizes = op.integers("resultSegmentSizes")
        wanted = [name for name, size in zip(MIXER_OPERANDS, sizes) if size]
        rows = [by_name[name].reshape(*grad.shape[:2], -1) for name in wanted]
        return *(self.parts(x, op.result_types[0]) for x in rows[:2]), *rows[2:]

    def parts(self, rows, kind):
        """Neighbouring heads that have one part of dq and dk are added up."""
        keys = self.recurrence.k.shape[-1]
        return rows.reshape(*rows.shape[:2], shape_of(kind)[0][-1] // keys, -1, keys).sum(-2).reshape(*rows.shape[:2], -1)

    def by_column(self, decay):
        is_by_head = self.recurrence.factor.shape[-1] == 1
        return decay.sum(-1, keepdims=True) if is_by_head else decay


def mixer(op, *inputs):
    return Mixer(op, given(op, "operandSegmentSizes", MIXER_OPERANDS, inputs)).forward(op)


def mixer_grad(op, grad, *inputs):
    sizes = op.integers("operandSegmentSizes")[1:]
    names = [name for name, size in zip((*MIXER_OPERANDS, "states"), sizes, strict=True) if size]
    operands = dict(zip(names, inputs, strict=True))
    operands.pop("states")
    return Mixer(op, operands).backward(op, grad)


def rows(x):
    return x.reshape(-1, x.shape[-1])


def whole_sequences(shape):
    """Positions of tokens, [batch, time]."""
    return np.broadcast_to(np.arange(shape[1]), shape)


def embed_grad(op, tokens, grad, accumulator=0.0):
    total = np.zeros(shape_of(op.result_types[0])[0])
    np.add.at(total, tokens.ravel(), rows(grad))
    return total + accumulator


def sum_partials(op, *inputs):
    count, _ = op.integers("operandSegmentSizes")
    return tuple(partials.sum(0) + sum(inputs[count:]) for partials in inputs[:count])


LIBRARY = {
    "seq.linear": lambda op, x, w, residual=0.0: x @ w.T + residual,
    "seq.linear_input_grad": lambda op, g, w: g @ w,
    "seq.linear_weight_grad": lambda op, g, x, accumulator=0.0: rows(g).T @ rows(x) + accumulator,
    "seq.positions": lambda op: whole_sequences(shape_of(op.result_types[0])[0]),
    "seq.embed": lambda op, tokens, w: w[tokens],
    "seq.embed_grad": embed_grad,
    "seq.attention": attention,
    "seq.attention_grad": attention_grad,
    "seq.mixer": mixer,
    "seq.mixer_grad": mixer_grad,
    "kern.sum_partials": sum_partials,
    **experts.OPERATIONS,
}


class Rows:
    """The row operations. `lead` dimensions (batch and time) stand before those of the types."""

    def __init__(self, lead=(), chunk=None):
        self.lead, self.chunk = lead, chunk

    def shape(self, op):
        return self.lead + shape_of(op.result_types[0])[0]

    def run(self, op, inputs):
        return getattr(self, op.name.split(".")[1])(op, *inputs)

    def reduce(self, op, x):
        return {"add": np.sum, "max": np.max, "min": np.min}[op.word("kind")](x, -1)

    def broadcast(self, op, x):
        shape, lead = self.shape(op), len(self.lead)
        kept = set(range(lead)) | {lead + dim for dim in op.integers("dims")}
        return np.broadcast_to(x.reshape([n if i in kept else 1 for i, n in enumerate(shape)]), shape)

    def tap(self, op, x):
        return tap(x, op.integer("offset"))

    def permute(self, op, x):
        return x[..., partner(op.word("style"), op.integer("rotated"), x.shape[-1])]

    def slice(self, op, x):
        begin = op.integer("offset")
        return x[..., begin : begin + self.shape(op)[-1]]

    def concat(self, op, *inputs):
        return np.concatenate(inputs, -1)

    def reshape(self, op, x):
        return x.reshape(self.shape(op))

    def column_index(self, op):
        shape = self.shape(op)
        return np.broadcast_to(np.arange(shape[-1], dtype=np.float64), shape)

    def table(self, op):
        return table(op)

    def layer_numbers(self, op):
        return np.array(op.reals("values"))[:, None]

    def column_sum(self, op, x):
        rank = len(shape_of(op.result_types[0])[0])
        sums = lambda part: part.sum(tuple(range(part.ndim - rank)))
        if self.chunk is None:
            return sums(x)
        batch, length = self.lead
        return np.stack([sums(x[b, t : t + self.chunk]) for b in range(batch) for t in range(0, length, self.chunk)])


class ProgramRows(Rows):
    """The same in a program of a walk, which knows its number."""

    def __init__(self, program):
        super().__init__()
        self.program = program

    def program_index(self, op):
        return np.float64(self.program)


class Program:
    """A module, ready to run. `parameters` maps names of checkpoints to arrays. Without `rounds` bf16 is as good as f64."""

    def __init__(self, text, parameters, rounds=True):
        self.rounds = rounds
        operations = parse_module(text)
        self.functions = {op.symbol("sym_name"): op for op in operations if op.name == "func.func"}
        self.declared = {op.symbol("sym_name"): op for op in operations if op.name == "seq.parameter"}
        self.values = {name: self.pack(op, parameters) for name, op in self.declared.items()}
        self.gradients = {}  # by name of checkpoints

    @staticmethod
    def parts(op):
        """(name, rows) of each part; `{}` stands for the layer."""
        texts = split(op.attributes["parts"][1:-1])
        pieces = [split(text[text.index("<") + 1 : -1]) for text in texts]
        return [(piece[0].strip('"'), int(piece[1].split(":")[0])) for piece in pieces]

    @staticmethod
    def layers(op):
        shape, _ = shape_of(op.attributes["type"])
        return [op.integer("first") + i * op.integer("step") for i in range(shape[0])] if "stacked" in op else None

    def pack(self, op, parameters):
        names = [name for name, _ in self.parts(op)]
        if self.layers(op) is None:
            return np.concatenate([parameters[name] for name in names])
        layer = lambda i: np.concatenate([parameters[name.replace("{}", str(i))] for name in names])
        return np.stack([layer(i) for i in self.layers(op)])

    def unpack(self, op, value):
        layers = self.layers(op)
        for i, layer in zip([""] if layers is None else layers, [value] if layers is None else value):
            begin = 0
            for name, count in self.parts(op):
                self.gradients[name.replace("{}", str(i))] = layer[begin : begin + count]
                begin += count

    def call(self, name, *arguments):
        """Results of a function."""
        function = self.functions[name]
        return self.block(function, arguments, Rows())

    def call_entry(self, name, arguments, positions=()):
        """Results of an entry point. Positions of tokens (of documents: `positions`), and their keys as the first sequences of a
        run from seed 0, stand where it says that it takes them."""
        attributes = split(self.functions[name].attributes.get("arg_attrs", "[]")[1:-1])
        inputs = [re.search(r'seq.input = "(\w+)"', each) for each in attributes] or [None] * len(arguments)
        shape = arguments[0].shape
        known = {"positions": positions[0] if positions else whole_sequences(shape), "dropout_keys": keys_of_dropout(0, 0, *shape)}
        rest = iter(arguments)
        return self.call(name, *(known[each[1]] if each else next(rest) for each in inputs))

    def block(self, op, arguments, row_operations):
        values = {name: value for (name, _), value in zip(op.arguments, arguments, strict=True)}
        for each in op.body:
            inputs = [values[operand] for operand in each.operands]
            if each.name in ("func.return", "kern.yield"):
                return inputs
            results = self.operation(each, inputs, row_operations)
            for result, value, type_text in zip(each.results, results, each.result_types, strict=True):
                values[result] = to_bf16(value) if self.rounds and shape_of(type_text)[1] == "bf16" else value
                expected = row_operations.lead + shape_of(type_text)[0]
                is_sum = each.name in ("seq.column_sum", "arith.constant", "seq.table")
                assert is_sum or value.shape == expected, f"{each.name}: {value.shape} is not {expected}"

    def operation(self, op, inputs, row_operations):
        if op.name in ELEMENTWISE:
            return [ELEMENTWISE[op.name](*inputs)]
        if op.name == "seq.dropout":
            shape = shape_of(op.result_types[0])[0][2 - len(row_operations.lead) :] # of a row
            columns = np.arange(math.prod(shape)).reshape(shape)
            return [dropout(*inputs, op.real("rate"), columns)]
        if op.name == "arith.cmpf":
            return [COMPARE[op.integer("predicate")](*inputs)]
        if op.name == "arith.constant":
            value = constant(op)
            return [np.broadcast_to(value, row_operations.lead + value.shape)]
        if op.name in LIBRARY:
            results = LIBRARY[op.name](op, *inputs)
            return results if isinstance(results, tuple) else (results,)
        if tile := getattr(Tiles, op.name.removeprefix("kern."), None):
            return [tile(op, *inputs)]
        if op.name == "func.call":
            return self.call(op.symbol("callee"), *inputs)
        special = {
            "seq.get_parameter": self.get_parameter,
            "seq.gradient": self.gradient,
            "seq.scan": self.scan,
            "kern.rowwise": self.rowwise,
            "kern.walk": self.walk,
        }
        return special[op.name](op, *inputs) if op.name in special else [row_operations.run(op, inputs)]

    def get_parameter(self, op):
        return [self.values[op.symbol("parameter")]]

    def gradient(self, op, value):
        self.unpack(self.declared[op.symbol("parameter")], value)
        return []

    def scan(self, op, *inputs):
        carries, slices, _ = op.integers("operandSegmentSizes")
        carry, sliced = list(inputs[:carries]), inputs[carries : carries + slices]
        trips = op.integer("trips")
        stacks = [np.zeros(shape_of(text)[0]) for text in op.result_types[carries:]]
        for i in reversed(range(trips)) if "reverse" in op else range(trips):
            results = self.call(op.symbol("body"), *carry, *(x[i] for x in sliced), *inputs[carries + slices :])
            carry = results[:carries]
            for stack, value in zip(stacks, results[carries:], strict=True):
                stack[i] = value
        return [*carry, *stacks]

    def rowwise(self, op, *inputs):
        maps = [each.strip("<>").split("<")[-1] for each in split(op.attributes["maps"][1:-1])]
        shapes = [x.shape for x, kind in zip(inputs, maps) if kind == "row"]
        sums = {result for each in op.body if each.name == "seq.column_sum" for result in each.results}
        shapes += [shape_of(text)[0] for text, value in zip(op.result_types, op.body[-1].operands) if value not in sums]
        lead = shapes[0][:2]
        spread = {
            "row": lambda x: x,
            "time": lambda x: np.broadcast_to(x, lead + x.shape[1:]),
            "shared": lambda x: np.broadcast_to(x, lead + x.shape),
        }
        chunk = None
        if "partial_sums" in op:
            chunk = int(op.attributes["schedule"].split("chunk")[1].strip(" >"))
        return self.block(op, [spread[kind](x) for x, kind in zip(inputs, maps)], Rows(lead, chunk))

    def walk(self, op, *inputs):
        return walk(op, inputs, lambda arguments, program: self.block(op, arguments, ProgramRows(program)))
