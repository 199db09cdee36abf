"""What `stretto summary` says of a model holds for a run: parameters, FLOPs, bytes and memory.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import re
import struct
import subprocess
import sys

from programs import LLAMA, TASK, empty, expect, program, read, run

folder = empty(sys.argv[1])
FUSED = [LLAMA, *TASK, "--batch", "4", "--length", "128", "--set", "dim=128", "--set", "layers=3"]
MODEL = [*FUSED, "--fuse=rows"]  # the profile tells matmuls from the work of their epilogues


def summarize(model):
    return json.loads(subprocess.run(["stretto", "summary", *model, "--json"], capture_output=True, text=True,
                                     check=True).stdout)


trained = program(*MODEL)
summary = summarize(MODEL)
total = summary["total"]
fused = summarize([*FUSED, "--fuse=always"])["total"]
for count in ("parameters", "flops_forward", "flops_backward"):
    expect(fused[count] == total[count], f"{count} with epilogues: {fused[count]} instead of {total[count]}")
expect(fused["bytes"] < total["bytes"], f"epilogues move {fused['bytes']} bytes, not fewer than {total['bytes']}")


def near(what, said, found, tolerance=0.01):
    print(f"{what}: {said} said, {found} found")
    expect(abs(said - found) <= tolerance * found, f"{what}: {said} said, {found} found")


# Parameters: those of the checkpoint, block by block.
run(trained, *TASK, "--threads", 1, "--steps", 0, "--save-every", 1, "--quiet", "--eval-batches", 0, "--out", "none")
run(trained, *TASK, "--threads", 1, "--steps", 1, "--quiet", "--eval-batches", 0, "--out", f"{folder}/run")
content = read(f"{folder}/run/ckpt/00000001/weights.safetensors")
header = json.loads(content[8:8 + struct.unpack("<Q", content[:8])[0]])
counts = {}
for name, tensor in header.items():
    if name != "__metadata__":
        block = re.sub(r"\.\d+\.", ".{}.", name.rsplit(".", 1)[0])
        block = block.rsplit(".", 1)[0] if "." in block else block
        size = 1
        for length in tensor["shape"]:
            size *= length
        counts[block] = counts.get(block, 0) + size
said = {block["name"]: block["parameters"] for block in summary["blocks"] if block["parameters"]}
expect(said == counts, f"parameters of blocks: {said} said, {counts} in the checkpoint")
near("parameters", total["parameters"], sum(counts.values()), 0)

# The work of a step, as the program counts it while it runs.
answers = subprocess.run([trained, *TASK, "--bench", "--threads", "1", "--out", "none"], input="profile 1\nmemory\n",
                         capture_output=True, text=True, check=True).stdout.splitlines()
kernels = json.loads(answers[0])["kernels"]
flops = bytes_moved = 0
for kernel in kernels:
    if kernel["name"].startswith(("matmul", "attention")):
        flops += kernel["seconds"] * kernel["gigaflops"] * 1e9
    if not kernel["name"].startswith(("squares.", "norm.", "apply.")):
        bytes_moved += kernel["seconds"] * kernel["gigabytes_per_second"] * 1e9
    if matmul := re.fullmatch(r"matmul (\d+) x (\d+) x (\d+)", kernel["name"]):
        m, n, k = map(int, matmul.groups())
        bytes_moved += 4 * kernel["calls"] * (m * n + m * k + k * n)
near("FLOPs", total["flops_forward"] + total["flops_backward"], flops)
for block in summary["blocks"]:
    expect((block["flops_forward"] > 0) == (block["name"] in ("layers.{}.attention", "layers.{}.mlp", "head")),
           f"FLOPs of {block}")
attention = {kernel["name"]: kernel["calls"] for kernel in kernels if kernel["name"].startswith("attention")}
expect(attention == {"attention": 3, "attention backward": 3}, f"calls of attention: {attention}")
# Library calls whose bytes the program does not count: attention, the embedding, copies.
print(f"bytes: {total['bytes']} said, {bytes_moved:.0f} found in kernels and matmuls")
expect(0.75 * total["bytes"] <= bytes_moved <= 1.01 * total["bytes"], "bytes of kernels and matmuls")

# Memory: the arenas, which the compiler knows, and what libraries and the sequences of a step take on top on this machine.
memory = json.loads(answers[1])
on_top = memory["arenas"]["library"] + memory["arenas"]["batches"]
expect(memory["planned"] == summary["planned_bytes"] + on_top,
       f"planned {summary['planned_bytes']} and {memory}")
near("memory", memory["planned"], memory["measured"])
