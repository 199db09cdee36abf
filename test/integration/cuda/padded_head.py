"""A head in chunks of tokens with a vocabulary of 53, whose rows of logits are padded in emulated CUDA programs: losses, weights
and an evaluation as of a program for the CPU, which pads nothing and holds all logits; what generates text is not padded.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import json
import sys

from programs_cuda import EMULATE, LLAMA, TWO_LAYERS, compare, distance, empty, expect, np, program, read, run, train

folder, STEPS = empty(sys.argv[1]), 5
TARGET = "target=cuda emulate"
ROWS = 32  # of a chunk


def padded_functions(module):
    """The functions that pad logits, in order."""
    return [function.split("(")[0] for function in module.split("func.func ")[1:] if "kern.pad" in function]


def chunked(dtype):
    """The module at the end of the phase `fused`."""
    model, fused = f"{folder}/{dtype}-seq.mlir", f"{folder}/{dtype}.mlir"
    run("stretto", "compile", LLAMA, *TWO_LAYERS, *EMULATE, "--dtype", dtype, "--decode=4", "--emit=seq", "-o", model)
    activations = " activations=bf16" if dtype == "bf16" else ""
    chunk = f"head-bytes={ROWS * 53 * (8 if dtype == 'f64' else 4)}"
    run("stretto-opt", model, f"--stretto-train={TARGET} decode=4 {chunk}{activations}", f"--stretto-fused={TARGET}{activations}", "-o", fused)
    padded = padded_functions(read(fused).decode())
    expect(sorted(padded) == ["private @head", "private @head.evaluate"], f"{dtype}: logits are padded in {padded}")
    return fused


def evaluated(out):
    lines = map(json.loads, read(f"{out}/metrics.jsonl").splitlines())
    return np.array([line["eval_loss"] for line in lines if "eval_loss" in line])


exact = f"{folder}/exact"
train(program(LLAMA, *TWO_LAYERS, "--dtype", "f64"), exact, STEPS)
for dtype, loss, weight in (("f64", 1e-12, 1e-12), ("f32", 1e-6, 1e-5), ("bf16", 5e-4, 5e-3)):
    out = f"{folder}/{dtype}"
    train(program(chunked(dtype), *EMULATE), out, STEPS, checks="full")
    compare(dtype, out, exact, STEPS, loss, weight)
    off = distance(evaluated(out), evaluated(exact))
    expect(len(evaluated(out)) == 1 and off <= loss, f"{dtype}: the evaluation is off by {off:.1e}")
