#!/usr/bin/env python3
"""What a step would take on an H200, from what the compiler knows of it: no GPU is used, and nothing here was measured.

    .deps/venv/bin/python bench/gpu/estimate.py [--build build] [--out bench/results]

Compiles the benchmark's models, lets their entry points say what they launch (nothing runs), and gives each launch a time
from bytes, registers, occupancy and blocks. Writes <date>-h200-estimate.json and .md. ASSUMPTIONS is all it believes.
"""
import argparse
import ctypes
import datetime
import math
import os
import subprocess
import tempfile

from goals import PEAK_FLOPS
from setting import ROOT, flops_per_token, shape, write

import abi
import programs

ASSUMPTIONS = {
    "copy bandwidth, bytes/s": 4.3e12,  # measured once on an H200: a large copy, read and written
    "share of it that a kernel reaches with enough warps": 0.9,
    "multiprocessors": 132,
    "warps of a multiprocessor": 64,
    "registers of a multiprocessor": 65536,
    "shared bytes of a multiprocessor": 227 * 1024,
    "warps of a multiprocessor that hide memory": 24,  # 23 KB in flight (4.3 TB/s over 700 ns), about 1 KB a warp
    "lanes' operations a second": 132 * 128 * 1.75e9,
    "instructions for each counted operation": 2.0,  # addresses, conversions, loads and stores
    "least time of a kernel, s": 2.5e-6,  # a trip to memory and back, twice, and the tail
    "between kernels of a graph, s": 1.0e-6,
    "products, FLOP/s": 650e12,  # 790 for large ones; those here have 768 or 2048 in one dimension
    "attention, FLOP/s": 400e12,
    "attention backward, FLOP/s": 300e12,  # deterministic
}
A = ASSUMPTIONS


def occupancy(kernel):
    """Blocks that a multiprocessor holds at a time."""
    warps = math.ceil(kernel.block / 32)
    registers = math.ceil(max(kernel.registers, 16) * 32 / 256) * 256 * warps
    limits = [A["warps of a multiprocessor"] // warps, A["registers of a multiprocessor"] // registers, 32]
    if kernel.shared_bytes:
        limits.append(A["shared bytes of a multiprocessor"] // (kernel.shared_bytes + 1024))
    return max(1, min(limits))


def waves(kernel):
    """(blocks, warps at work on a multiprocessor) of each wave of blocks; full waves are one entry."""
    blocks, slots = kernel.grid[0] * kernel.grid[1], A["multiprocessors"] * occupancy(kernel)
    warps = math.ceil(kernel.block / 32) / A["multiprocessors"]
    full = blocks // slots * slots
    return [(count, resident * warps) for count, resident in ((full, slots), (blocks - full, blocks - full)) if count]


def kernel_seconds(kernel):
    """(seconds, what limits it, warps at work on a multiprocessor in the first wave)"""
    parts, blocks = waves(kernel), kernel.grid[0] * kernel.grid[1]
    full = A["copy bandwidth, bytes/s"] * A["share of it that a kernel reaches with enough warps"]
    enough = A["warps of a multiprocessor that hide memory"]
    memory = sum(kernel.bytes_moved * count / blocks / (full * min(1.0, warps / enough)) for count, warps in parts)
    # Eight warps keep the lanes of a multiprocessor busy.
    work = kernel.flops * A["instructions for each counted operation"] / A["lanes' operations a second"]
    arithmetic = sum(work * count / blocks / min(1.0, warps / 8) for count, warps in parts)
    times = {"memory": memory, "arithmetic": arithmetic, "latency": A["least time of a kernel, s"]}
    limit = max(times, key=times.get)
    return times[limit], limit, parts[0][1]


class Counter:
    """What the entry points of a step ask for, by name: how often, and seconds of all."""

    def __init__(self, model):
        self.groups, self.kernels, self.calls, self.model = {}, {}, 0, model

    def add(self, group, seconds):
        self.groups[group] = self.groups.get(group, 0) + seconds
        self.calls += 1

    def launch(self, kernel):
        name, (seconds, limit, warps) = kernel.name.decode(), kernel_seconds(kernel)
        entry = self.kernels.setdefault(name, {
            "launches": 0, "seconds": seconds, "limit": limit, "warps": warps, "registers": kernel.registers,
            "spill_bytes": kernel.spill_bytes, "shared_bytes": kernel.shared_bytes, "block": kernel.block,
            "blocks": kernel.grid[0] * kernel.grid[1], "bytes": kernel.bytes_moved, "flops": kernel.flops})  # fmt: skip
        entry["launches"] += 1
        self.add(kernel.group.decode(), seconds)

    def matmul(self, args):
        flops = 2 * args.m * args.n * args.k
        size = 2 if args.dtype == abi.BF16 else 4
        moved = size * (args.m * args.k + args.k * args.n) + (4 if args.dtype_c == abi.F32 else size) * args.m * args.n
        self.add("products", max(flops / A["products, FLOP/s"], moved / A["copy bandwidth, bytes/s"],
                                 A["least time of a kernel, s"]))  # fmt: skip

    def attend(self, args, backward):
        flops = 4 * args.batch * args.heads * args.length**2 * args.head_dim / (2 if args.causal else 1)
        seconds = 2.5 * flops / A["attention backward, FLOP/s"] if backward else flops / A["attention, FLOP/s"]
        self.add("attention", max(seconds, A["least time of a kernel, s"]))

    def move(self, count):
        self.add("rest", max(count / A["copy bandwidth, bytes/s"], A["least time of a kernel, s"]))

    def run(self, shim):
        functions = {"at": lambda site: None, "launch": lambda kernel, buffers: self.launch(kernel[0]),
                     "matmul": lambda args: self.matmul(args[0]), "attention": lambda args: self.attend(args[0], False),
                     "attention_grad": lambda args: self.attend(args[0].forward, True),
                     "zero": lambda buffer, count: self.move(count),
                     "copy": lambda args: self.move(2 * args[0].rows * args[0].row_bytes)}  # fmt: skip
        calls = abi.Calls(**{name: kind(functions[name]) for name, kind in abi.Calls._fields_})
        shim.shim_register(ctypes.byref(calls))
        for entry in ("gradients", "update"):
            self.model.call(entry)
        self.groups["between kernels"] = self.calls * A["between kernels of a graph, s"]
        return sum(self.groups.values())


def run(*command):
    subprocess.run(command, check=True)


def estimate(build, name, made, folder, shim):
    path = f"{folder}/{name}"
    run(f"{build}/bin/stretto-compile", *made.options(ROOT, False), "--emit=object", "-o", f"{path}.o")
    run("cc", "-shared", f"{path}.o", "-o", f"{path}.so")
    counter = Counter(abi.Model(f"{path}.so"))
    seconds = counter.run(shim)
    tokens = made.shape.batch * made.shape.length
    return {"name": name.removeprefix("bench-"), "seconds": seconds, "tokens": tokens, "tokens_per_second": tokens / seconds,
            "mfu": tokens / seconds * flops_per_token(shape("32k", False)) / PEAK_FLOPS, "calls": counter.calls,
            "groups": counter.groups, "kernels": counter.kernels}  # fmt: skip


def text_of(date, steps):
    lines = [f"# Estimates for an H200, {date}: nothing here was measured", "",
             "`bench/gpu/estimate.py`, from bytes, operations, registers and blocks of each launch. Measured figures go beside this "
             "file, as `<date>-<gpu>.md`, by `bench/gpu/run.py`. What is assumed:", ""]  # fmt: skip
    lines += [f"* {name}: {value:.4g}" for name, value in A.items()]
    groups = list(dict.fromkeys(name for s in steps for name in s["groups"]))
    lines += ["", "Estimated milliseconds of a step:", "", "| step | all | tokens/s | MFU | ops | " + " | ".join(groups) + " |",
              "|---|" + "---|" * (len(groups) + 4)]  # fmt: skip
    for s in steps:
        lines.append(f"| {s['name']} | {1e3 * s['seconds']:.2f} | {s['tokens_per_second']:.0f} | {100 * s['mfu']:.1f} % | "
                     f"{s['calls']} | " + " | ".join(f"{1e3 * s['groups'].get(g, 0):.2f}" for g in groups) + " |")
    for s in steps:
        lines += ["", f"## {s['name']}: estimated times of kernels", "",
                  "| kernel | launches | us of one | limit | of a copy | MB | registers | spilled | blocks x threads | warps |",
                  "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
        for name, k in sorted(s["kernels"].items(), key=lambda item: -item[1]["seconds"] * item[1]["launches"]):
            copy = k["bytes"] / A["copy bandwidth, bytes/s"] / k["seconds"]
            lines.append(f"| {name} | {k['launches']} | {1e6 * k['seconds']:.1f} | {k['limit']} | {100 * copy:.0f} % | "
                         f"{k['bytes'] / 1e6:.1f} | {k['registers']} | {k['spill_bytes']} | {k['blocks']} x {k['block']} | "
                         f"{k['warps']:.1f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build")
    parser.add_argument("--out", default=f"{ROOT}/bench/results")
    arguments = parser.parse_args()
    date = datetime.date.today().isoformat()
    with tempfile.TemporaryDirectory() as folder:
        run("cc", "-shared", "-fPIC", "-O1", f"-I{ROOT}", f"{ROOT}/test/gpu/shim.c", "-o", f"{folder}/libshim.so")
        shim = ctypes.CDLL(f"{folder}/libshim.so", ctypes.RTLD_GLOBAL)
        steps = [estimate(arguments.build, name, made, folder, shim) for name, made in programs.bench(False).items()]
    path = f"{arguments.out}/{date}-h200-estimate"
    write(path + ".json", {"date": date, "estimate": True, "assumptions": A, "steps": steps})
    with open(path + ".md", "w", encoding="utf-8") as file:
        file.write(text_of(date, steps))
    print(text_of(date, steps).partition("\n## ")[0] + f"\nwritten: {path}.json, {path}.md")


if __name__ == "__main__":
    main()
