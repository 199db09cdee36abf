"""Matmuls with row operations in their epilogue, f32: the losses of kernels apart, the same bits with any number of
threads and for any block of rows; sequences and a feed-forward width that no strip divides.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import subprocess
import sys

from programs import LLAMA, TASK, digest, empty, expect, program, run

STEPS = 12
folder = empty(sys.argv[1])
model = [LLAMA, *TASK, "--batch", 3, "--length", 87, "--set", "dim=96", "--set", "layers=2", "--set", "heads=3",
         "--set", "kv_heads=1", "--set", "ffn=152"]
options = [*TASK, "--steps", STEPS, "--save-every", STEPS, "--eval-every", STEPS, "--eval-batches", 1, "--quiet"]


def losses(name):
    with open(f"{folder}/{name}/metrics.jsonl") as file:
        return [line["loss"] for line in map(json.loads, file) if "loss" in line]


def trained(name, fuse, threads, *more):
    run(program(*model, f"--fuse={fuse}", *more), *options, "--threads", threads, "--out", f"{folder}/{name}")
    return digest(f"{folder}/{name}", STEPS)


kernels = subprocess.run(["stretto", "compile", *map(str, model), "--fuse=always", "--emit=kernels"], check=True,
                         capture_output=True, text=True).stdout
sites = [f"layers.{direction}.matmul{number} " for direction, number in (("forward", 1), ("forward", 3), ("backward", 0))]
expect(all(site.strip() in kernels for site in sites), f"of {sites} some have no epilogue")
expected = trained("one", "always", 1)
for name, threads, more in (("two", 2, []), ("three", 3, []), ("blocks", 2, ["--kernel-schedule", "layers.*.matmul*:block=16"])):
    expect(trained(name, "always", threads, *more) == expected, f"bits of '{name}' differ")
trained("apart", "rows", 2)
worst = max(abs(a - b) / b for a, b in zip(losses("one"), losses("apart"), strict=True))
print(f"{len(losses('one'))} losses, at most {worst:.1e} from those of kernels apart")
expect(worst < 1e-5, f"losses differ by {worst:.1e} from those of kernels apart")
