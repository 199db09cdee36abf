# REQUIRES: compiler, runtime
# RUN: %python %s
"""Each operation of the language alone, between matmuls: gradients against PyTorch in f64 and finite differences."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from oracle import Case, check_all

POSITIVE = "square(x) + 0.5"
EXPRESSIONS = {
    "add": "x + y",
    "sub": "x - y",
    "mul": "x * y",
    "div": f"x / ({POSITIVE})",
    "negate": "-x * 3",
    "max": "max(x, y)",
    "min": "min(x, y, x * y)",
    "max of a number": "max(x, 0.25)",
    "exp": "exp(x)",
    "log": f"log({POSITIVE})",
    "sqrt": f"sqrt({POSITIVE})",
    "rsqrt": f"rsqrt({POSITIVE})",
    "tanh": "tanh(x)",
    "sin": "sin(x)",
    "cos": "cos(x)",
    "sine and cosine of many turns": "sin(1000 * x) + cos(1000 * y)",
    "sigmoid": "sigmoid(x)",
    "silu": "silu(x)",
    "gelu": "gelu(x)",
    "relu": "relu(x)",
    "square": "square(x)",
    "softplus": "softplus(x)",
    "softplus, its tail": "softplus(x - 30) * 1e13",
    "linear with bias": "linear(x, 12, bias = true)",
    "rms_norm": "rms_norm(x)",
    "rms_norm by head": "rms_norm(x, heads = 3)",
    "rms_norm by head of one": "rms_norm(x, heads = 12)",
    "rms_norm by heads of two kinds": "rms_norm(shift(rms_norm(x, heads = 4), 3), heads = 6)",
    "rms_norm by heads that overlap": "rms_norm(shift(rms_norm(x, heads = 3), 3), heads = 2)",
    "layer_norm": "layer_norm(x)",
    "layer_norm by head": "layer_norm(x, heads = 3)",
    "layer_norm by head of one": "layer_norm(x, heads = 12)",
    "norms of unlike heads": "rms_norm(x, heads = 6) + layer_norm(x, heads = 3)",
    "layer_norm without bias": "layer_norm(x, bias = false)",
    "canon": "canon(x)",
    "canon of 2": "canon(x, kernel = 2)",
    "canon of 3, no residual": "canon(x, kernel = 3, residual = false)",
    "canon, bias, silu": "canon(x, bias = true, activation = silu)",
    "canon, bias, silu, no residual": "canon(x, bias = true, activation = silu, residual = false)",
    "frozen canon": "canon(x, frozen = true)",
    "shift": "shift(x, 2)",
    "shift by all": "shift(x, 7)",
    "rotary": "rotary(x, heads = 3)",
    "rotary, part of the heads": "rotary(x, heads = 2, head_fraction = 0.5)",
    "rotary, part of a head": "rotary(x, heads = 3, fraction = 0.5)",
    "rotary, interleaved": "rotary(x, heads = 1, style = interleaved, theta = 100)",
    "learned positions": "x * embed(positions(), width = 12) + embed(positions(), 9, 12)",
    "learned positions in layers":
        "x  repeat 2 { z = z + embed(positions(), width = 12) * tanh(linear(z, 12)) }",
    "positions and tokens of one table": "x * embed(positions(), weight = parameter(9, 12))"
        "  w = parameter(vocab, 12)  z = z + embed(positions(), weight = w) * embed(tokens, weight = w)",
    "attention": "softmax_attention(x, y, x * y, 3)",
    "attention, grouped": "softmax_attention(linear(x, 24), y, linear(y, 12), 6, 3)",
    "attention, window": "softmax_attention(x, y, x * y, 3, window = 3)",
    "attention, window, grouped": "softmax_attention(linear(x, 24), y, linear(y, 12), 6, 3, window = 1)",
    "attention, alibi": "softmax_attention(x, y, x * y, 4, alibi = true)",
    "attention, window, alibi, grouped": "softmax_attention(linear(x, 24), y, linear(y, 12), 6, 3, window = 4, alibi = true)",
    "attention, wide values": "softmax_attention(linear(x, 12), linear(y, 6), linear(y, 12), 6, 3)",
    "attention, narrow values, window": "linear(softmax_attention(x, y, linear(x * y, 9), 3, window = 4), 24)",
    "attention, cap": "softmax_attention(x, 3 * y, x * y, 3, cap = 0.7)",
    "attention, cap, alibi, sinks, grouped": "softmax_attention(linear(x, 24), y, linear(y, 12), 6, 3, alibi = true, cap = 0.1, "
        "sinks = parameter(6, init = normal(1)))",
    "attention, sinks": "softmax_attention(x, y, x * y, 3, sinks = parameter(3, init = normal(1)))",
    "attention, window, sinks, grouped": "softmax_attention(linear(x, 24), y, linear(y, 12), 6, 3, window = 4, "
        "sinks = exp(parameter(6)))",
    "attention, sinks, narrow values, all positions": "linear(softmax_attention(x, y, linear(x, 9), 3, causal = false, "
        "sinks = parameter(3)), 12)",
    "attention, decay": "softmax_attention(x, y, x * y, 3, decay = log(sigmoid(linear(y, 3))))",
    "attention, decay, window, sinks, cap, alibi, grouped": "softmax_attention(linear(x, 24), y, linear(y, 12), 6, 3, window = 4, "
        "alibi = true, cap = 0.4, sinks = parameter(6, init = normal(1)), decay = linear(x, 6))",
    "attention, decay of a weight": "softmax_attention(x, y, x * y, 3, decay = -exp(parameter(3, init = normal(1))))",
    "attention, nothing is left of some tokens": "softmax_attention(x, y, x * y, 3, decay = -1e9 * heaviside(linear(y, 3)) - square(linear(x, 3)))",
    "attention, decay, recomputed in layers":
        "x  repeat 2 { z = z + recompute(softmax_attention(z, y, z, 3, decay = -softplus(linear(z, 3)), sinks = parameter(3))) }",
    "attention, bias by distance": "softmax_attention(x, y, x * y, 3, bias = parameter(3, 5, init = normal(1)))",
    "attention, bias, decay, window, sinks, cap, alibi, grouped": "softmax_attention(linear(x, 24), y, linear(y, 12), 6, 3, window = 4, "
        "alibi = true, cap = 0.4, sinks = parameter(6, init = normal(1)), decay = linear(x, 6), bias = parameter(6, 3, init = normal(1)))",
    "attention, a formula as bias, beyond the sequence": "softmax_attention(x, y, x * y, 3, bias = "
        "-spread(square(parameter(3, 1, init = normal(1))), 99) * log(1 + spread(exp(parameter(3, 1)), 99) * numbers(99)))",
    "attention, a bias of buckets, shared by layers":
        "x  w = parameter(3, 4, init = normal(1))  near = concat(slice(w, 0, 2), spread(slice(w, 2, 2), 6)) "
        " repeat 2 { z = z + recompute(softmax_attention(z, y, z, 3, bias = near)) }",
    "a weight on each row of a matrix": "linear(x, 12, weight = parameter(12, 12, init = normal(1)) * parameter(12) - numbers(12) / 9)",
    "a weight on each row of matrices":
        "linear(x, 12, weight = sum(exp(parameter(12, 24)) * max(parameter(24, init = normal(1)), 0.25), heads = 12)) * y",
    "attention, all positions": "softmax_attention(x, y, x, 1, causal = false)",
    "dropout": "dropout(x * y, 0.3)",
    "dropout twice": "dropout(rms_norm(dropout(x, 0.5)) * y, 0.25) + dropout(x, 0.9)",
    "dropout of tokens": "x * spread(dropout(full(1, 1), 0.5), 12) + y",
    "dropout by head": "softmax_attention(x, dropout(y, 0.2), x * y, 3)  a, b = split(dropout(z, 0.4), heads = 3)  z = concat(b, a * b, heads = 2)",
    "dropout that earlier tokens are read of": "canon(dropout(x, 0.4)) * shift(dropout(tanh(y), 0.3), 2)",
    "dropout in layers": "dropout(x, 0.1)  repeat 3 { z = z + dropout(tanh(linear(dropout(z, 0.2), 12)), 0.5) }",
    "dropout in layers, recomputed": "x  repeat 3 { z = z + recompute(dropout(tanh(linear(z, 12)) * y, 0.3)) }",
    "dropout in layers that differ": "x  repeat 4 as i { z = z + (i + 1) * dropout(tanh(linear(z, 12)), 0.1 * (i % 2)) }",
    "l2_norm by head": "l2_norm(x, heads = 3)",
    "softmax": "y * softmax(x)",
    "softmax by head": "y * softmax(x * x, heads = 3)",
    "keep_top": "y * keep_top(x * y, 3)",
    "keep_top by head": "y * keep_top(tanh(x), 2, heads = 4)",
    "keep_top, all": "y * keep_top(x, 12)",
    "experts": "keep_top(softmax(linear(y, 4)), 2)  z = expert_sum(square(expert_linear(x, z, 5, 2)), z, 12, 2)",
    "experts, fewer than chosen": "relu(keep_top(linear(y, 4), 3))  z = expert_sum(expert_linear(x, z, 5, 3), z, 7, 3)",
    "experts, more than chosen": "expert_linear(x, y, 4, 2) * expert_linear(y, x, 4, 2)",
    "experts whose weights are shared":
        "keep_top(linear(y, 4), 1)  w = parameter(48, 12)"
        "  z = x + expert_sum(expert_linear(x, z, 12, weight = w), z, 12, weight = w)",
    "heaviside": "x * heaviside(y - 0.1) + y * heaviside(x * y)",
    "mean over the batch": "x * batch_mean(x * y) + batch_mean(y)",
    "means over the batch in layers": "x  repeat 3 { z = rms_norm(z - batch_mean(z)) * linear(z, 12) }",
    "a mean over the batch, its gradient stopped": "x * y * batch_mean(heaviside(x)) + batch_mean(heaviside(x * y)) * x",
    "a number carried through layers, which is not zero": "x  one = full(12, 1)  repeat 3 { z = z * one + linear(z, 12)  one = one * 0.5 }",
    "weights that layers change, of rows and of columns":
        "x  a = parameter(12)  b = parameter(12, 12)  repeat 3 { z = linear(z, weight = b) * a + z  a, b = a * 0.5, b - 0.25 }",
    "means over the batch of what reads no tokens":
        "x * batch_mean(full(12, 0.25) * parameter(12)) + y * batch_mean(shift(full(12, 1), 2)) + batch_mean(canon(full(12, 1)))",
    "a rotated mean of one number": "x * batch_mean(rotary(full(12, 0.5), heads = 2) + batch_mean(x))",
    "activations of one number": "x * full(12, 0.5) + linear_attention(full(12, 1), full(12, 1), y, 12, scale = 1)",
    "sum": "x * spread(sum(x * y), 12)",
    "sum by head": "x * spread(tanh(sum(y, heads = 4)), 12)",
    "sum of a weight": "x * exp(spread(sum(parameter(5) * parameter(5)), 12)) - 0.2 * y * spread(sum(parameter(6), heads = 2), 12)",
    "sums of the rows of a weight": "linear(x * y, weight = parameter(4, 12) * sum(parameter(4, 24), heads = 12))",
    "norms and softmax beside sums of the rows of a weight":
        "linear(x, weight = softmax(sum(parameter(7, 24), heads = 12))) * linear(y, weight = l2_norm(parameter(7, 12)) * sum(parameter(7, 24), heads = 12))",
    "numbers of weights": "x * spread(exp(sum(parameter(5))) - exp(sum(parameter(5) * parameter(5))) + 0.5, 12)",
    "softmax of a weight": "x * softmax(parameter(12) * numbers(12), heads = 2) + y * spread(softmax(parameter(4)), 12)",
    "weights of length 1": "linear(x * y, weight = l2_norm(parameter(7, 12))) * linear(y, weight = l2_norm(parameter(7, 12), heads = 3))",
    "a weight of length 1 for each layer": "x  repeat 3 { z = linear(z, weight = l2_norm(parameter(12, 12))) + x * l2_norm(parameter(12)) }",
    "parts of a weight": "linear(x * slice(parameter(20), 3, 12), weight = slice(parameter(12, 20), 2, 12))",
    "parts of a weight, by head":
        "x  a, b = split(parameter(24))  c, d = split(parameter(12, 24), heads = 3)  z = linear(x * a + b, weight = c) + linear(y, weight = tanh(d))",
    "weights side by side": "linear(x, weight = concat(parameter(12, 5), parameter(12, 7))) * concat(parameter(4), 0.1 * numbers(8))",
    "weights side by side, by head": "linear(x * y, weight = concat(parameter(12, 6), parameter(12, 6), heads = 3))",
    "a weight beside activations": "linear(concat(x, parameter(4), y, heads = 2), 12)",
    "tiled weights": "linear(x * y, weight = tile(parameter(12, 4), 12)) * tile(parameter(3), 12)",
    "a number for each row of a weight": "linear(x * y, weight = spread(exp(parameter(7, 1)), 12) * l2_norm(parameter(7, 12)))",
    "rms_norm of weights":
        "linear(x, weight = rms_norm(parameter(7, 12))) * linear(y, weight = rms_norm(parameter(7, 12), heads = 3)) * rms_norm(parameter(7))",
    "layer_norm of weights":
        "linear(x, weight = layer_norm(parameter(7, 12))) * linear(y, weight = layer_norm(parameter(7, 12), 3, bias = false)) * layer_norm(parameter(7))",
    "keep_top of weights":
        "linear(x, weight = keep_top(parameter(7, 12), 3)) * linear(y, weight = keep_top(parameter(7, 12), 2, heads = 3)) * keep_top(parameter(7), 2)",
    "norms of sums of weights":
        "linear(x, weight = rms_norm(tanh(sum(parameter(12, 60), 12)))) * linear(y, weight = layer_norm(sum(parameter(12, 60), 12)))",
    "spread norms of weights":
        "linear(x, weight = spread(rms_norm(parameter(12, 4)), 12)) * linear(y, weight = spread(layer_norm(parameter(12, 4)), 12))",
    "norms of weights beside a norm of a sum":
        "linear(x, weight = concat(parameter(12, 7), rms_norm(sum(parameter(12, 10), 5))))",
    "norms of heads of weights":
        "linear(x, weight = rms_norm(spread(parameter(12, 4), 12), heads = 4) * rms_norm(concat(parameter(12, 9), parameter(12, 3)), heads = 4))",
    "a table of parts": "x * embed(tokens, weight = concat(slice(parameter(vocab, 9), 1, 4), rms_norm(parameter(vocab, 8))))",
    "a part of a weight for each layer":
        "x  w, g = parameter(12, 36), parameter(24)  repeat 3 as i { z = z + tanh(linear(z, weight = slice(w, i * 12, 12))) * slice(g, i * 4, 12) }",
    "weights of layers, put together":
        "x  repeat 3 { z = z + tanh(linear(z, weight = rms_norm(concat(parameter(12, 4), slice(parameter(12, 10), 1, 8))))) * concat(parameter(5), parameter(7)) }",
    "a table of length 1": "x * embed(tokens, weight = l2_norm(parameter(vocab, 12)))",
    "concat": "concat(x, square(y), x) * linear(x, 36)",
    "split": "x * y  a, b, c = split(z, 3)  z = concat(c, a * b, a)",
    "slice": "concat(slice(x * y, 5, 4), slice(y, 0, 7))",
    "concat by head": "concat(x, linear(y, 6), x * y, heads = 3) * linear(x, 30)",
    "split by head": "x * y  a, b = split(z, heads = 3)  z = concat(a * b, x, b, heads = 6)",
    "slice by head": "tile(slice(x * y, 1, 2, heads = 3), 12) * concat(slice(y, 3, 1, heads = 3), slice(x, 0, 9))",
    "tile": "x * tile(linear(y, 4), 12) + tile(y, 12)",
    "latent attention":
        "linear(x, 5)  k = concat(tile(rotary(linear(y, 2), heads = 1), 6), linear(z, 9), heads = 3)"
        "  z = softmax_attention(rotary(linear(x, 15), heads = 3, fraction = 0.4), k, linear(z, 12), 3)",
    "spread": "x * spread(linear(y, 4), 12) + spread(parameter(3), 12)",
    "numbers": "x * numbers(12)",
    "numbers, spread": "x * spread(1 + numbers(3), 12) * parameter(12)",
    "numbers, spread over weights": "x * (spread(numbers(4), 12) * parameter(12))",
    "linear attention": "linear_attention(x, y, x * y, 3)",
    "linear attention, write": "linear_attention(x, y, x * y, 3, write = sigmoid(linear(y, 3)), scale = 1)",
    "linear attention, decay": "linear_attention(x, y, x * y, 3, decay = -softplus(linear(y, 3)))",
    "linear attention, grouped, decay by key column":
        "linear_attention(linear(x, 8), linear(y, 8), y, 6, key_heads = 2, decay = -softplus(linear(x, 24)))",
    "linear attention, constant decay": "linear_attention(x, y, x * y, 3, decay = -square(parameter(3)) - numbers(3))",
    "delta rule": "linear_attention(x, l2_norm(y, 3), x * y, 3, beta = sigmoid(linear(y, 3)))",
    "gated delta rule":
        "linear_attention(x, l2_norm(y, 3), x, 3, beta = sigmoid(linear(y, 3)), decay = -softplus(linear(x, 3)))",
    "linear attention, the same numbers at each token":
        "linear_attention(x, y / 3, x * y, 3, decay = -square(parameter(3)), write = sigmoid(parameter(3)), erase = tanh(parameter(12)), erase_write = parameter(12))",
    "linear attention, a beta for each head and layer":
        "x  repeat 2 { z = z + linear_attention(z, l2_norm(y, 3), z, 3, beta = sigmoid(parameter(3)), decay = -softplus(parameter(3))) }",
    "linear attention, parts of one weight":
        "x  b = sigmoid(parameter(6))  z = linear_attention(x, y, x, 3, write = slice(b, 0, 3)) * linear_attention(y, l2_norm(x, 3), x, 3, beta = slice(b, 3, 3))",
    "linear attention, erase": "linear_attention(x, y, x * y, 3, erase = tanh(x), decay = -softplus(y))",
    "linear attention, erase and write":
        "linear_attention(x, y, x, 3, erase = tanh(x), erase_write = tanh(y), decay = -softplus(y), read = before)",
    "linear attention, its gates from a frozen table":
        "sigmoid(embed(tokens, weight = parameter(vocab, 12, frozen = true)))"
        "  z = linear_attention(x, y, x, 12, decay = -z, erase = x, erase_write = z)"
        "  + linear_attention(x, y, x, 12, erase = z) + linear_attention(x, y, x, 12, beta = z)",
    "parameter": "x * parameter(12)",
    "recompute": "recompute(tanh(x)) * y",
    "recomputed matmuls": "x * recompute(linear(silu(linear(x * y, 30)), 12)) * recompute(linear(x, 12) * linear(y, 12))",
    "recomputed attention": "x + recompute(softmax_attention(linear(x, 12), y, tanh(linear(x, 12)), 2)) * y",
    "recomputed mixers":
        "x * recompute(linear_attention(x, y, linear(x, 12), 2, decay = -softplus(y))) + recompute(linear_attention(y, x, x, 3))",
    "recomputed embeddings and means": "x * recompute(embed(tokens, vocab, 12)) * y * recompute(batch_mean(tanh(x)))",
    "recomputed in layers":
        "x  repeat 3 { z = z + recompute(linear(softmax_attention(linear(z, 12), linear(z, 12), rms_norm(canon(z)), 3), 12)) * z }",
    "recomputed layers, apart": "x  repeat 3 as i { z = z + recompute(linear(silu(linear(rms_norm(z, eps = 0.1 * (i + 1)), 20)), 12)) }",
}

SPEC = """model one(vocab: int) {{
  e = embed(tokens, vocab, 6)
  x, y = linear(e, 12), linear(e, 12)
  z = {expression}
  return linear(z, vocab)
}}
"""

MODELS = {
    "a matmul of three strips, the last one narrower, of which the first alone is read by what lies in it": """
model operation(vocab: int, dim = 12) {
  x = embed(tokens, vocab, dim)
  h = rms_norm(x)
  x = x + linear(tanh(linear(tanh(linear(h, 9)), 30)), dim) + linear(linear(h, 300), dim)
  return linear(x, vocab)
}
""",
    "a repeat that counts": """
model operation(vocab: int, dim = 12) {
  x = embed(tokens, vocab, dim)
  n = 0 * x
  repeat 3 { n = n + 1  x = x + linear(tanh(x), dim) / n }
  return linear(x, vocab)
}
""",
    "a repeat in a block that the model calls twice": """
model operation(vocab: int, dim = 12) {
  block f(x) {
    repeat 3 { x = x + linear(tanh(x), dim) }
    return x
  }
  block g(x) { return f(rms_norm(x)) * x }
  x = embed(tokens, vocab, dim)
  return linear(g(g(x)), vocab)
}
""",
    "all results of a block, recomputed": """
model operation(vocab: int, dim = 12) {
  block f(x) { return linear(tanh(linear(x, dim)), dim), x * linear(x, dim) }
  x = embed(tokens, vocab, dim)
  x, y = recompute(f(x))
  repeat 2 { x, y = recompute(f(x + y)) }
  return linear(x * y, vocab)
}
""",
    "experts whose load is added to the loss": """
model operation(vocab: int, dim = 12, count = 4) {
  block experts(x) {
    h = rms_norm(x)
    p = softmax(linear(h, count))
    gates = keep_top(p, 2)
    y = expert_sum(silu(expert_linear(h, gates, 5, 2)), gates, dim, 2)
    return x + y, count / 2 * sum(p * batch_mean(heaviside(gates))) + 0.1 * square(log(sum(exp(linear(h, count)))))
  }
  x, loads = embed(tokens, vocab, dim), full(1, 0)
  repeat 3 {
    x, load = experts(x)
    loads = loads + load
  }
  return linear(rms_norm(x), vocab), 0.3 * loads
}
""",
    "a token further ahead is predicted, too": """
model operation(vocab: int, dim = 12) {
  table = parameter(vocab, dim)
  x = embed(tokens, weight = table)
  repeat 2 { x = x + linear(tanh(canon(x)), dim) }
  ahead = linear(concat(shift(rms_norm(x), 1), x * shift(x, 2)), dim)
  return linear(rms_norm(x), vocab), 0.3 * next_token_loss(linear(ahead, weight = table)) + sum(0.01 * square(x))
}
""",
    "each layer predicts, through one head, in blocks and layers": """
model operation(vocab: int, dim = 12) {
  head = parameter(vocab, dim)
  block layer(x, loss, head) {
    x = x + linear(tanh(rms_norm(x)), dim)
    return x, loss + next_token_loss(linear(rms_norm(x), weight = head)) * sigmoid(sum(x))
  }
  x, loss = embed(tokens, vocab, dim), full(1, 0)
  repeat 3 { x, loss = layer(x, loss, head) }
  repeat 2 as i { x, loss = layer(rms_norm(x, eps = 0.1 * (i + 1)), square(loss), head) }
  return linear(rms_norm(x), weight = head), loss
}
""",
    "what is added to the loss alone reads a weight, and means of means": """
model operation(vocab: int, dim = 12) {
  x = embed(tokens, vocab, dim)
  y = tanh(linear(x, 7))
  centred = y - batch_mean(y)
  return linear(x, vocab), sum(square(batch_mean(centred * slice(x, 0, 7))) * centred)
}
""",
    "positions are read by what is added to the loss alone": """
model operation(vocab: int, dim = 12) {
  x = embed(tokens, vocab, dim)
  return linear(tanh(x), vocab), sum(embed(positions(), 9, 3) * slice(x, 0, 3))
}
""",
    "a mean that is carried": """
model operation(vocab: int, dim = 12) {
  x, loss = embed(tokens, vocab, dim), full(1, 1)
  repeat 1 { loss = batch_mean(loss) * sum(x) }
  return linear(x, vocab), loss
}
""",
    "the head beside another matmul of its input": """
model operation(vocab: int, dim = 12) {
  x = rms_norm(embed(tokens, vocab, dim))
  return linear(x, vocab), square(linear(x, 1)) + 0.001 * square(log(sum(exp(linear(x, 5)))))
}
""",
    "a number for each token that depends on nothing is added": """
model operation(vocab: int, dim = 12) {
  x = embed(tokens, vocab, dim)
  return linear(x, vocab), full(1, 0.5)
}
""",
    "blocks whose calls share weights, in layers, in blocks and alone": """
model operation(vocab: int, dim = 12) {
  shared block mix(x, scale = 1.0) { return x + scale * softmax_attention(linear(x, dim), x, canon(x), 3) }
  block mlp(x) { return x + linear(tanh(linear(mix(x), 7)), dim) }
  shared block pair(x) {
    repeat 2 { x = mlp(rms_norm(x)) }
    return x
  }
  x = embed(tokens, vocab, dim)
  x = mix(x, 0.5)
  repeat 4 as i {
    if i % 2 == 0 { x = mlp(x) } else { x = 0.7 * mix(pair(x)) }
  }
  repeat 3 { x = pair(x) }
  return linear(pair(rms_norm(x)), vocab)
}
""",
    "layers that differ by numbers, in blocks, by periods, of weights, and recomputed": """
model operation(vocab: int, dim = 12) {
  block scaled(x, a: float) { return a * tanh(linear(x, dim)) - a }
  block mix(x, a: float, b: float) {
    no_fuse { y = x * a + scaled(x, b) }
    return y + b * softmax_attention(linear(x, dim), x, canon(x), 3) + scaled(y, 0.5)
  }
  w, g = parameter(12, 12), parameter(12)
  x = embed(tokens, vocab, dim)
  repeat 5 as i { x = mix(x, 1 / (i + 1), 0.1 * i) + linear(x, weight = w * (i - 2)) / (2 * i + 1) }
  x = rms_norm(x)
  repeat 6 as i {
    if i % 2 == 0 { x = x + (g + i) * spread(sum(x, 2) * (0.2 * i), dim) } else { x = max(canon(x), 0.01 * i - 0.1) }
  }
  repeat 3 as i { x = x + recompute(scaled(x, 0.3 * i)) }
  return linear(rms_norm(x), vocab)
}
""",
    "a block of two results of which one is read": """
model operation(vocab: int, dim = 12) {
  block f(x) { return linear(x, dim), tanh(x) }
  x = embed(tokens, vocab, dim)
  repeat 2 { x, _y = f(x) }
  y, _z = f(x)
  return linear(rms_norm(y), vocab)
}
""",
}

# As programs alone: passes put kernels into the epilogues of matmuls this wide, which the interpreter does not know.
PROGRAMS = {
    "a gain of heads beside a matmul, whose gradient its strips must not share": """
model operation(vocab: int, dim = 256) {
  f = embed(tokens, weight = parameter(vocab, dim, frozen = true))
  x = embed(tokens, vocab, dim)
  u = rms_norm(f, heads = 8)
  return linear(linear(u + x, dim) + linear(tanh(x), dim), vocab)
}
""",
}


def cases(compiled=False):
    specs = {name: SPEC.format(expression=text) for name, text in EXPRESSIONS.items()} | MODELS
    if compiled:
        specs |= PROGRAMS
    return [Case(name, spec, finite_differences=True) for name, spec in specs.items()]


if __name__ == "__main__":
    sys.exit(check_all(cases()) != 0)
