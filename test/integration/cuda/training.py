"""Emulated CUDA programs train as those for the CPU do: losses and weights after 20 steps of a LlamaCanon of two layers, in
f32 and f64 and with activations in bf16, fused or not; 5 steps of the hybrid model; the same bits for any number of threads
and any order of warps and blocks; a run changes its target on the way.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import shutil
import sys

from programs_cuda import EMULATE, HYBRID, LLAMA, SHORT, SMALL, TWO_LAYERS, compare, digest, empty, expect, program, read, run, train

folder, STEPS = empty(sys.argv[1]), 20
cpu = {dtype: program(LLAMA, *TWO_LAYERS, "--dtype", dtype) for dtype in ("f32", "f64")}
cuda = {dtype: program(LLAMA, *TWO_LAYERS, *EMULATE, "--dtype", dtype) for dtype in ("f32", "f64", "bf16")}
for dtype, path in cpu.items():
    train(path, f"{folder}/cpu-{dtype}", STEPS)
for dtype, path in cuda.items():
    train(path, f"{folder}/cuda-{dtype}", STEPS)

exact = f"{folder}/cpu-f64"
compare("f64", f"{folder}/cuda-f64", exact, STEPS, loss=1e-12, weight=1e-12)
compare("f32", f"{folder}/cuda-f32", exact, STEPS, loss=1e-6, weight=1e-5)
compare("f32 of both targets", f"{folder}/cuda-f32", f"{folder}/cpu-f32", STEPS, loss=1e-6, weight=1e-5)
compare("bf16", f"{folder}/cuda-bf16", exact, STEPS, loss=5e-4, weight=5e-3)

for dtype in ("f32", "bf16"):
    expected = digest(f"{folder}/cuda-{dtype}", STEPS)
    for name, seed, threads in (("threads", 0, 2), ("order", 1, 1), ("both", 2, 2)):
        out = f"{folder}/{dtype}-{name}"
        train(cuda[dtype], out, STEPS, "--threads", threads, seed=seed, checks="none")
        expect(digest(out, STEPS) == expected, f"{dtype}: other bits with {threads} threads, order {seed}")

unfused = program(LLAMA, *TWO_LAYERS, *EMULATE, "--fuse", "none")
train(unfused, f"{folder}/unfused", STEPS)
compare("not fused", f"{folder}/unfused", exact, STEPS, loss=1e-6, weight=1e-5)

hybrid = [HYBRID, *SMALL, "--set", "dim=32", "--set", "layers=4", "--set", "heads=2"]
train(program(*hybrid, "--dtype", "f64"), f"{folder}/hybrid-cpu", 5)
train(program(*hybrid, *EMULATE), f"{folder}/hybrid-cuda", 5)
compare("hybrid", f"{folder}/hybrid-cuda", f"{folder}/hybrid-cpu", 5, loss=1e-6, weight=1e-5)

for first, second in ((cuda, cpu), (cpu, cuda)):
    name = "cuda-then-cpu" if first is cuda else "cpu-then-cuda"
    train(first["f32"], f"{folder}/{name}", STEPS // 2)
    shutil.copytree(f"{folder}/{name}", f"{folder}/{name}-same")
    for program_, out in ((second, name), (first, f"{name}-same")):
        run(program_["f32"], "--resume", *SHORT, "--threads", 1, "--steps", STEPS, "--out", f"{folder}/{out}")
    compare(name, f"{folder}/{name}", exact, STEPS, loss=1e-6, weight=1e-5)
    straight = f"{folder}/{'cuda' if first is cuda else 'cpu'}-f32"
    for tensors in ("weights", "moments"):
        file = f"ckpt/{STEPS:08}/{tensors}.safetensors"
        same = read(f"{folder}/{name}-same/{file}") == read(f"{straight}/{file}")
        expect(same, f"{name}: other {tensors} when resumed as it was")
