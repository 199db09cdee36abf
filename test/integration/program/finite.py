"""--check-finite names the first operation that goes wrong as the spec calls it, with its place, its weight and its layer:
a weight is made too large for f32, and the spec's own text tells what has to be named.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import shutil
import struct
import sys

from programs import TASK, contains, empty, expect, program, run

SPEC = """model probe(vocab: int, dim = 16, layers = 2, heads = 2) {
  block layer(x) {
    h = layer_norm(x)
    q = linear(h, dim)
    k = linear(h, dim)
    v = linear(h, dim)
    x = x + linear(softmax_attention(q, k, v, heads), dim)
    return x + linear(canon(tanh(rms_norm(x)), kernel = 3), dim)
  }
  x = embed(tokens, vocab, dim)
  repeat layers { x = layer(x) }
  return linear(rms_norm(x), vocab)
}
"""
folder = empty(sys.argv[1])
with open(f"{folder}/probe.stretto", "w", encoding="utf-8") as file:
    file.write(SPEC)
probe = program(f"{folder}/probe.stretto", *TASK, "--batch", 2, "--length", 64)
options = [*TASK, "--threads", 1, "--eval-batches", 0, "--quiet", "--steps", 1]
run(probe, *options, "--out", f"{folder}/run")
weights = f"{folder}/run/ckpt/00000001/weights.safetensors"


def place(text, occurrence=0):
    """line:column of a piece of the spec."""
    at = -1
    for _ in range(occurrence + 1):
        at = SPEC.index(text, at + 1)
    return f"probe.stretto:{SPEC.count(chr(10), 0, at) + 1}:{at - SPEC.rfind(chr(10), 0, at)}"


def poisoned(name, value=3e38):
    """The weights with every number of one tensor at `value`."""
    copy = f"{folder}/poisoned"
    shutil.copy(weights, copy)
    with open(copy, "r+b") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        begin, end = json.loads(file.read(size))[name]["data_offsets"]
        file.seek(8 + size + begin)
        file.write(struct.pack("<f", value) * ((end - begin) // 4))
    return copy


def check(weight, operation, where, iteration, device="cpu"):
    told = run(probe, *options, "--check-finite", "--device", device, "--init-from", poisoned(weight), "--out", "none",
               status=1)
    loop = f", in iteration {iteration} of its loop" if iteration is not None else ""
    text = told.split("the first NaN or infinity was written by ")[1]
    expect(text.startswith(f"{operation} at {folder}/{where} with weight '{weight}'") and f"{loop}: element [" in text,
           f"{weight} should lead to {operation} at {where}{loop}, but got {text}")


check("layers.1.layer.q.weight", "linear", place("linear(h, dim)"), 1)
check("layers.0.layer.v.weight", "linear", place("linear(h, dim)", 2), 0)
check("layers.1.layer.k.weight", "linear", place("linear(h, dim)", 1), 1, "null-async")
check("layers.0.layer.h.weight", "layer_norm", place("layer_norm"), 0)
check("layers.1.layer.linear_1.weight", "linear", place("linear(canon"), 1)
check("linear.weight", "linear", place("linear(rms_norm(x), vocab)"), None)
bad = poisoned("layers.1.layer.q.weight", float("nan"))
contains(run(probe, *options, "--check-finite", "--init-from", bad, "--out", "none", status=1),
         "parameters of 'layers.1.layer.q.weight' must be finite numbers before the first step, but element 0 is nan")
