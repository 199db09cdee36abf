#!/usr/bin/env python3
"""What a step would take on an H200, from what the compiler knows of it: no GPU is used, but figures of one are assumed.

    .deps/venv/bin/python bench/gpu/estimate.py [--mixers | --matmuls | --losses] [--build build] [--out bench/results]

Compiles the benchmark's models, lets their entry points say what they launch (nothing runs), and gives each launch a time
from its bytes, registers, blocks and machine code. Writes <date>-h200-estimate.json and .md. ASSUMPTIONS is all it believes.
With --mixers, linear mixers alone, also of few long sequences: <date>-h200-estimate-mixers.json and .md; with --matmuls, matmuls
of our own: <date>-h200-estimate-matmuls.json and .md; with --losses, losses of large vocabularies: <date>-h200-estimate-losses.json
and .md.
"""
import argparse
import ctypes
import dataclasses
import datetime
import math
import subprocess
import tempfile

from goals import PEAK_FLOPS
from setting import ROOT, flops_per_token, shape, write

import abi
import programs

import estimate_losses
import estimate_matmuls
import estimate_mixers
import estimate_sites
import estimate_spans
import roles
from sass import functions
from walk import follow

GUIDE = "CUDA C++ Programming Guide, arithmetic instructions, compute capability 9.0"
MEASURED = "measured on an H200, 26 November 2026"
ASSUMPTIONS = {  # what, how much, on what grounds
    "copy bandwidth, bytes/s": (4.25e12, MEASURED + ": a large copy, read and written"),
    "share of it that a kernel reaches": (0.88, MEASURED + ": norms and rotary embeddings without Canon reach 84 to 90 %"),
    "memory latency, s": (1.1e-6, MEASURED + ": what a step of norms and Canon waits beside a busy memory"),
    "clock, 1/s": (1.75e9, "of an H200 under load; its boost clock is 1.98"),
    "multiprocessors": (132, "H200 data sheet"),
    "schedulers of a multiprocessor": (4, "Hopper tuning guide"),
    "warps of a multiprocessor": (64, "Hopper tuning guide"),
    "registers of a multiprocessor": (65536, "Hopper tuning guide"),
    "shared bytes of a multiprocessor": (228 * 1024, "Hopper tuning guide"),
    "cycles from shared memory": (30, "microbenchmarks of earlier chips: 23 to 33"),
    "cycles of a shuffle": (25, "as shared memory"),
    "cycles of a special function": (20, "microbenchmarks of earlier chips"),
    "cycles of a barrier": (30, "a guess, warps that come together"),
    "cycles of arithmetic": (4, "microbenchmarks of Volta and later"),
    "issue cycles of a float operation": (1, GUIDE + ": 128 a cycle"),
    "issue cycles of other arithmetic": (2, GUIDE + ": 64 a cycle"),
    "issue cycles of a special function": (8, GUIDE + ": 16 a cycle"),
    "cycles of a matmul": (33, "16 x 8 x 16 of bf16: microbenchmarks of Hopper, arXiv 2402.13499, from memory"),
    "share of its peak by mma.sync": (0.62, "arXiv 2402.13499, from memory: on average 62.9 % on an H800"),
    "share of its peak by wgmma": (0.7, MEASURED + ": matmuls of our own of 768 terms, 645 to 662 TFLOP/s, of 946 at the clock above"),
    "cycles of a scheduler for an instruction, where warps have roles": (2.1, MEASURED + ": epilogues of Canon B and D, forward and backward"),
    "bytes of a cycle from the second-level cache, for a multiprocessor": (36, "what tiles of 192 x 192 without clusters take on an H100, "
        "777 TFLOP/s on 128 multiprocessors (pranjalssh/fast.cu, kernel 6), at the clock above; it may deliver more"),
    "bytes of a cycle that come into a multiprocessor": (64, "a guess: half a line; microbenchmarks of earlier chips say so of the first-level cache"),
    "issue cycles of a shuffle, of 4 bytes of a lane": (4, GUIDE + ": 32 a cycle; 128 bytes a cycle of cache and shared memory"),
    "least time of a kernel, s": (2.5e-6, "a guess: a trip to memory and back, twice, and the tail"),
    "between kernels of a graph, s": (1.0e-6, "a guess"),
    "matmuls, FLOP/s": (676e12, MEASURED + ": cuBLASLt's in a step of 32k tokens, 541 to 776"),
    "attention, FLOP/s": (345e12, MEASURED + ": cuDNN 9.19, 16 x 12 heads of 64, 2048 tokens, causal"),
    "attention backward, FLOP/s": (205e12, MEASURED + ": the same, the deterministic form"),
}  # fmt: skip
A = {name: value for name, (value, _) in ASSUMPTIONS.items()}
MEMORY = A["memory latency, s"] * A["clock, 1/s"]
LATENCIES = {"load": MEMORY, "copy": MEMORY, "matrix": A["cycles of a matmul"], "shared": A["cycles from shared memory"],
             "shuffle": A["cycles of a shuffle"], "special": A["cycles of a special function"],
             "barrier": A["cycles of a barrier"], "other": A["cycles of arithmetic"]}  # fmt: skip
MATRIX = 1 / A["share of its peak by mma.sync"]
FULL_SPEED = A["copy bandwidth, bytes/s"] * A["share of it that a kernel reaches"]


def shared_bytes(kernel):
    """Shared memory of a block, static and dynamic."""
    return kernel.shared_bytes + kernel.dynamic_shared_bytes


def occupancy(kernel):
    """Blocks that a multiprocessor holds at a time."""
    warps = math.ceil(kernel.block / 32)
    registers = math.ceil(max(kernel.registers, 16) * 32 / 256) * 256  # of a warp
    schedulers = A["schedulers of a multiprocessor"]  # have registers of their own
    resident = A["registers of a multiprocessor"] // schedulers // registers * schedulers
    limits = [A["warps of a multiprocessor"] // warps, resident // warps, 32]
    if shared := shared_bytes(kernel):
        limits.append(A["shared bytes of a multiprocessor"] // (shared + 1024))
    return max(1, min(limits))


def unit_cycles(trace):
    """Cycles that a warp takes of each unit of a quarter of a multiprocessor."""
    count = trace.issued.get
    words = 4 * sum(count(kind, 0) for kind in ("load", "copy", "store", "shared", "shuffle"))
    return {"instructions": count("issue", 0), "integers": A["issue cycles of other arithmetic"] * count("other", 0),
            "special functions": A["issue cycles of a special function"] * count("special", 0), "shared memory": words,
            "tensor cores": MATRIX * count("matrix", 0)}  # fmt: skip


def issue_cycles(trace):
    """Cycles of a scheduler that a warp takes: of the unit that it keeps busiest."""
    return max(unit_cycles(trace).values())


def follow_parts(kernel, code):
    """What a warp does in a block of each row of blocks; those in the middle of a row stand for all."""
    warps = math.ceil(kernel.block / 32)
    def trace(y, gap):
        return follow(code, kernel.grid[0] // 2, y, LATENCIES, gap, MATRIX)
    traces = [trace(y, 1.0) for y in range(kernel.grid[1])]
    if any(t.barriers for t in traces):  # the warps of a block do the same at the same time
        traces = [trace(y, max(1.0, warps / A["schedulers of a multiprocessor"])) for y in range(kernel.grid[1])]
    return traces


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def estimate_roles(kernel, code):
    """Of a kernel whose warps have roles: one wave, which takes as long as its busiest block."""
    schedulers, share = A["schedulers of a multiprocessor"], A["share of its peak by wgmma"]
    traces = roles.follow_roles(kernel, code, LATENCIES, schedulers, share)
    cycles = roles.cycles_of(kernel, traces, schedulers, share, A["bytes of a cycle from the second-level cache, for a multiprocessor"],
                             A["bytes of a cycle that come into a multiprocessor"],
                             A["cycles of a scheduler for an instruction, where warps have roles"])  # fmt: skip
    times = {name: each / A["clock, 1/s"] for name, each in cycles.items()} | {"memory": kernel.bytes_moved / FULL_SPEED}
    limit = max(times, key=times.get)
    seconds = times[limit] + A["memory latency, s"]  # of the first operands
    peak = kernel.flops / seconds / (A["multiprocessors"] * schedulers * 2 * 512 * A["clock, 1/s"])
    return {"seconds": seconds, "limit": limit, "unit": "tensor cores", "is_sure": all(t.is_sure for t in traces), "warps": len(traces),
            "issue_seconds": times["issue"], "memory_seconds": times["memory"], "warp_outstanding": max(t.outstanding for t in traces),
            "in_flight": 0, "peak": peak, "times": times}  # fmt: skip


def estimate_kernel(kernel, code):
    """Seconds, what limits them, and what a multiprocessor has on its way from memory meanwhile. Blocks come in waves, and a
    wave takes the longest of: its share of the bytes, what its warps issue, the way of one warp from start to end."""
    if roles.has_roles(code):
        return estimate_roles(kernel, code)
    warps, blocks = math.ceil(kernel.block / 32), kernel.grid[0] * kernel.grid[1]
    slots = A["multiprocessors"] * occupancy(kernel)
    traces = follow_parts(kernel, code)
    is_sure = all(t.is_sure for t in traces)
    way = mean(t.cycles for t in traces) / A["clock, 1/s"] if is_sure else 0
    issue = mean(map(issue_cycles, traces)) * warps / A["schedulers of a multiprocessor"] / A["clock, 1/s"] if is_sure else 0
    times = {"memory": 0.0, "issue": 0.0, "latency": 0.0}
    for first in range(0, blocks, slots):
        count = min(slots, blocks - first)
        wave = {"memory": kernel.bytes_moved * count / blocks / FULL_SPEED,
                "issue": issue * math.ceil(count / A["multiprocessors"]), "latency": way}  # fmt: skip
        longest = max(wave, key=wave.get)
        times[longest] += wave[longest]
    seconds = sum(times.values())
    limit = max(times, key=times.get) if seconds > A["least time of a kernel, s"] else "start"
    seconds = max(seconds, A["least time of a kernel, s"])
    resident = min(slots, blocks) / A["multiprocessors"] * warps
    units = unit_cycles(traces[0])
    return {"seconds": seconds, "limit": limit, "unit": max(units, key=units.get), "is_sure": is_sure, "warps": resident, "issue_seconds": issue * blocks / A["multiprocessors"],
            "memory_seconds": kernel.bytes_moved / FULL_SPEED, "warp_outstanding": max(t.outstanding for t in traces),
            "in_flight": mean(t.loaded for t in traces) * resident * A["memory latency, s"] / way if way else 0}  # fmt: skip


def commit():
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


class Counter:
    """What the entry points of a step ask for, by name: how often, and seconds of all."""

    def __init__(self, model, code):
        self.groups, self.kernels, self.calls, self.model, self.code = {}, {}, 0, model, code

    def add(self, group, seconds):
        self.groups[group] = self.groups.get(group, 0) + seconds
        self.calls += 1

    def launch(self, kernel):
        name = kernel.name.decode()
        if name not in self.kernels:
            self.kernels[name] = {"launches": 0} | estimate_kernel(kernel, self.code[kernel.symbol.decode()]) | {
                "registers": kernel.registers, "spill_bytes": kernel.spill_bytes, "shared_bytes": shared_bytes(kernel),
                "block": kernel.block, "blocks": kernel.grid[0] * kernel.grid[1], "bytes": kernel.bytes_moved}  # fmt: skip
        self.kernels[name]["launches"] += 1
        self.add(kernel.group.decode(), self.kernels[name]["seconds"])

    def matmul(self, args):
        flops = 2 * args.m * args.n * args.k
        size = 2 if args.dtype == abi.BF16 else 4
        moved = size * (args.m * args.k + args.k * args.n)
        moved += (4 if args.dtype_c == abi.F32 else size) * args.m * args.n * (2 if args.has_residual else 1)
        self.add("matmuls", max(flops / A["matmuls, FLOP/s"], moved / A["copy bandwidth, bytes/s"],
                                 A["least time of a kernel, s"]))  # fmt: skip

    def attend(self, args, backward):
        scores = args.batch * args.heads * args.length**2 / (2 if args.causal else 1)
        flops = 2 * scores * (args.head_dim + args.value_dim)
        seconds = flops / A["attention, FLOP/s"]
        if backward:
            seconds = 2.5 * flops / A["attention backward, FLOP/s"]
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
        for entry in ("gradients", "squares", "norm", "apply"):
            self.model.call(entry)
        self.groups["between kernels"] = self.calls * A["between kernels of a graph, s"]
        return sum(self.groups.values())


def run(*command):
    subprocess.run(command, check=True)


def compile_made(build, name, made, folder):
    """The model, and its machine code by function."""
    path = f"{folder}/{name}"
    compiler = (f"{build}/bin/stretto-compile", *made.options(ROOT, False))
    run(*compiler, "--emit=object", "-o", f"{path}.o")
    run(*compiler, "--emit=sass", "-o", f"{path}.sass")
    run("cc", "-shared", f"{path}.o", "-o", f"{path}.so")
    with open(f"{path}.sass", encoding="utf-8") as file:
        return abi.Model(f"{path}.so"), functions(file.read())


def estimate_site(build, name, made, folder, shim):
    model, code = compile_made(build, name, made, folder)
    return estimate_sites.estimate_site(name, made, model, code, shim, lambda *kernel: estimate_kernel(*kernel)["seconds"],
                                        A["between kernels of a graph, s"])  # fmt: skip


def estimate_mixer(build, name, made, folder, shim):
    """None where the compiler refuses the mixer, and says why: its tiles may be too large for a block."""
    try:
        model, code = compile_made(build, name, made, folder)
    except subprocess.CalledProcessError:
        return None
    return estimate_mixers.estimate_mixer(name, made, model, code, shim, estimate_kernel, A["between kernels of a graph, s"])


def step_programs():
    """Those of the benchmark; with 32k tokens also with memory for whatever is worth keeping for the backward."""
    made = programs.bench(False)
    return made | {f"{name}-kept": dataclasses.replace(each, budget="64G") for name, each in made.items() if name.endswith("32k")}


def estimate(build, name, made, folder, shim):
    counter = Counter(*compile_made(build, name, made, folder))
    seconds = counter.run(shim)
    tokens = made.shape.batch * made.shape.length
    return {"name": name.removeprefix("bench-"), "seconds": seconds, "tokens": tokens, "tokens_per_second": tokens / seconds,
            "mfu": tokens / seconds * flops_per_token(shape("32k", False)) / PEAK_FLOPS, "calls": counter.calls,
            "activation_bytes": counter.model.program.arena_bytes[abi.ACTIVATIONS], "groups": counter.groups, "kernels": counter.kernels}  # fmt: skip


def count_kernels(build, name, made, folder, shim):
    counter = Counter(*compile_made(build, name, made, folder))
    counter.run(shim)
    return counter.kernels


def share_of_limits(step):
    """Of the time in kernels of our own, by what limits them."""
    seconds = {}
    for k in step["kernels"].values():
        seconds[k["limit"]] = seconds.get(k["limit"], 0) + k["seconds"] * k["launches"]
    total = sum(seconds.values())
    return {limit: seconds.get(limit, 0) / total for limit in ("memory", "issue", "latency", "start")}


def canon_costs(steps):
    """What Canon adds to a step, by the tokens of the step."""
    seconds = {s["name"]: s["seconds"] for s in steps}
    return {tokens: seconds[f"canon-{tokens}"] / seconds[f"plain-{tokens}"] - 1 for tokens in ("32k", "2k")}


def head_of(date, command):
    lines = [f"# Estimates for an H200, {date}, commit {commit()}: no step here was measured", "",
             f"`{command}`, from bytes, registers, blocks and machine code of each launch. Measured figures go beside "
             "this file, as `<date>-<gpu>.md`, by `bench/gpu/run.py`. What is assumed, and why:", ""]  # fmt: skip
    return lines + [f"* {name}: {value:.4g} ({source})" for name, (value, source) in ASSUMPTIONS.items()]


def text_of_steps(date, steps, sites, mixers):
    lines = head_of(date, "bench/gpu/estimate.py")
    groups = list(dict.fromkeys(name for s in steps for name in s["groups"]))
    lines += ["", "Estimated milliseconds of a step:", "", "| step | all | tokens/s | MFU | activations, GB | ops | " + " | ".join(groups) + " |",
              "|---|" + "---|" * (len(groups) + 5)]  # fmt: skip
    for s in steps:
        lines.append(f"| {s['name']} | {1e3 * s['seconds']:.2f} | {s['tokens_per_second']:.0f} | {100 * s['mfu']:.1f} % | "
                     f"{s['activation_bytes'] / 1e9:.2f} | {s['calls']} | " + " | ".join(f"{1e3 * s['groups'].get(g, 0):.2f}" for g in groups) + " |")
    lines += ["", "Estimated cost of Canon: " + ", ".join(f"{100 * cost:.1f} % at {tokens} tokens"
                                                           for tokens, cost in canon_costs(steps).items()) + ".", "",
              "What limits the kernels, as shares of the estimated time of all:", "", "| step | memory | issue | latency | start |",
              "|---|---|---|---|---|"]  # fmt: skip
    lines += [f"| {s['name']} | " + " | ".join(f"{100 * share:.0f} %" for share in share_of_limits(s).values()) + " |"
              for s in steps]  # fmt: skip
    for s in steps:
        lines += ["", f"## {s['name']}: estimated times of kernels", "",
                  "| kernel | launches | us of one | limit | memory alone | issue alone | of a copy | MB | registers | spilled | "
                  "blocks x threads | warps | outstanding of a warp | KB in flight |", "|---|" + "---|" * 13]  # fmt: skip
        for name, k in sorted(s["kernels"].items(), key=lambda item: -item[1]["seconds"] * item[1]["launches"]):
            copy = k["bytes"] / A["copy bandwidth, bytes/s"] / k["seconds"]
            lines.append(f"| {name} | {k['launches']} | {1e6 * k['seconds']:.1f} | {k['limit']} | {1e6 * k['memory_seconds']:.1f} | "
                         f"{1e6 * k['issue_seconds']:.1f} | {100 * copy:.0f} % | {k['bytes'] / 1e6:.1f} | {k['registers']} | "
                         f"{k['spill_bytes']} | {k['blocks']} x {k['block']} | {k['warps']:.1f} | {k['warp_outstanding']} | "
                         f"{k['in_flight'] / 1024:.0f} |")
    lines += estimate_sites.lines_of(sites, A["copy bandwidth, bytes/s"]) + estimate_mixers.lines_of(mixers)
    return "\n".join(lines) + "\n"


def text_of_mixers(date, mixers, spans):
    return "\n".join(head_of(date, "bench/gpu/estimate.py --mixers") + estimate_mixers.lines_of(mixers) + estimate_spans.lines_of(spans)) + "\n"


def estimate_mixers_of(build, folder, shim):
    found = [estimate_mixer(build, name, made, folder, shim) for name, made in programs.mixers(False).items()]
    return [mixer for mixer in found if mixer]


def estimate_all(build, folder, shim, date):
    """What is found out, by name, and as text."""
    steps = [estimate(build, name, made, folder, shim) for name, made in step_programs().items()]
    sites = [estimate_site(build, name, made, folder, shim) for name, made in programs.sites(False).items()]
    mixers = estimate_mixers_of(build, folder, shim)
    return {"steps": steps, "sites": sites, "mixers": mixers}, text_of_steps(date, steps, sites, mixers)


def estimate_mixers_alone(build, folder, shim, date):
    mixers = estimate_mixers_of(build, folder, shim)
    spans = estimate_spans.estimate_spans(build, estimate_kernel, A["between kernels of a graph, s"])
    return {"mixers": mixers, "spans": spans}, text_of_mixers(date, mixers, spans)


def text_of_matmuls(date, matmuls):
    return "\n".join(head_of(date, "bench/gpu/estimate.py --matmuls") + estimate_matmuls.lines_of(matmuls)) + "\n"


def estimate_matmuls_alone(build, folder, shim, date):
    matmuls = estimate_matmuls.estimate_matmuls(build, estimate_kernel, A["matmuls, FLOP/s"])
    return {"matmuls": matmuls}, text_of_matmuls(date, matmuls)


def estimate_losses_alone(build, folder, shim, date):
    losses = estimate_losses.estimate_losses(lambda name, made: count_kernels(build, name, made, folder, shim))
    return {"losses": losses}, "\n".join(head_of(date, "bench/gpu/estimate.py --losses") + estimate_losses.lines_of(losses)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--mixers", dest="only", action="store_const", const="mixers", help="linear mixers alone")
    only.add_argument("--matmuls", dest="only", action="store_const", const="matmuls", help="matmuls of our own alone")
    only.add_argument("--losses", dest="only", action="store_const", const="losses", help="losses of large vocabularies alone")
    parser.add_argument("--build", default=f"{ROOT}/build")
    parser.add_argument("--out", default=f"{ROOT}/bench/results")
    arguments = parser.parse_args()
    date = datetime.date.today().isoformat()
    with tempfile.TemporaryDirectory() as folder:
        run("cc", "-shared", "-fPIC", "-O1", f"-I{ROOT}", f"{ROOT}/test/gpu/shim.c", "-o", f"{folder}/libshim.so")
        shim = ctypes.CDLL(f"{folder}/libshim.so", ctypes.RTLD_GLOBAL)
        estimates = {None: estimate_all, "mixers": estimate_mixers_alone, "matmuls": estimate_matmuls_alone,
                     "losses": estimate_losses_alone}
        found, text = estimates[arguments.only](arguments.build, folder, shim, date)
    path = f"{arguments.out}/{date}-h200-estimate{f'-{arguments.only}' if arguments.only else ''}"
    write(path + ".json", {"date": date, "commit": commit(), "estimate": True, "assumptions": ASSUMPTIONS} | found)
    with open(path + ".md", "w", encoding="utf-8") as file:
        file.write(text)
    print(text.partition("\n## ")[0] + f"\nwritten: {path}.json, {path}.md")


if __name__ == "__main__":
    main()
