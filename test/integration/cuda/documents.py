"""Masked documents, in emulated CUDA programs: losses and weights after 10 steps of a LlamaCanon of two layers
as on the CPU, in f32 and with activations in bf16.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import sys

from programs_cuda import EMULATE, LLAMA, TWO_LAYERS, compare, distance, empty, expect, losses, program, train

folder, STEPS = empty(sys.argv[1]), 10
MASKED = [*TWO_LAYERS, "--mask-documents"]
SHORT_DOCUMENTS = ["--task-set", "n=3"]  # three to a sequence

exact, together = f"{folder}/cpu-f64", f"{folder}/together"
train(program(LLAMA, *MASKED, "--dtype", "f64"), exact, STEPS, *SHORT_DOCUMENTS)
for dtype, loss, weight in (("f32", 1e-6, 1e-5), ("bf16", 5e-4, 5e-3)):
    out = f"{folder}/cuda-{dtype}"
    train(program(LLAMA, *MASKED, *EMULATE, "--dtype", dtype), out, STEPS, *SHORT_DOCUMENTS)
    compare(dtype, out, exact, STEPS, loss, weight)
train(program(LLAMA, *TWO_LAYERS, "--dtype", "f64"), together, STEPS, *SHORT_DOCUMENTS)
off = distance(losses(together), losses(exact))
expect(off > 1e-3, f"documents that see each other have nearly the same losses: {off:.1e}")
