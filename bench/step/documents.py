"""What --mask-documents costs a training step on one thread: the same program with and without, in turns.

    .deps/venv/bin/python bench/step/documents.py [--widths 64,256] [--rounds 20] [--tokens 4096] [--build build]

Llama of two layers with Canon ABCD on sequences of depo1. Each round profiles some steps of both, the one that was second
before first; ratios, masked to not masked, are of processor time within a round, so that other work on the machine
counts little. Prints medians with quartiles for the step, its groups, and each fused kernel that takes at least 0.3 %.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from workers import Process

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
GROUPS = ["step", "matmuls", "attention", "rowwise"]
LEAST = 0.003  # of a step: shorter kernels are not shown


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--widths", default="64,256")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.5, help="that each program steps in a round, about")
    parser.add_argument("--tokens", type=int, default=4096, help="of a batch, in sequences of --length")
    parser.add_argument("--length", type=int, default=2048)
    parser.add_argument("--build", default=f"{ROOT}/build", help="folder with the tools")
    return parser.parse_args()


def program(arguments, width, more):
    """The path of a compiled program, which may come from the cache."""
    words = [f"{arguments.build}/bin/stretto", "program", f"{ROOT}/models/llama.stretto", "--task", "depo1",
             "--batch", arguments.tokens // arguments.length, "--length", arguments.length, "--set", f"dim={width}",
             "--set", "layers=2", "--set", "canon_at={A, B, C, D}", *more]
    return subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def start(arguments, width, more, folder):
    path = program(arguments, width, more)
    process = Process([path, "--task", "depo1", "--bench", "--threads", "1", "--lr", "1e-4"], 1, folder)
    process.ask("time 1")
    return process


def seconds_of(profile):
    """Seconds of a step by group, and by fused kernel."""
    groups = {"step": profile["seconds"]} | {name: profile["groups"][name] for name in GROUPS[1:]}
    return groups | {each["name"]: each["seconds"] for each in profile["kernels"] if ".rowwise" in each["name"]}


def measure(arguments, plain, masked):
    """Seconds by name, one dictionary of each program and round."""
    once = json.loads(plain.ask("time 2"))["cpu_seconds"][1]
    steps = max(1, round(arguments.seconds / once))
    samples = {plain: [], masked: []}
    for number in range(arguments.rounds):
        for process in (plain, masked) if number % 2 else (masked, plain):
            samples[process].append(seconds_of(json.loads(process.ask(f"profile {steps}"))))
    return samples[plain], samples[masked]


def row(name, plain, masked):
    """One line of the table, or None for what is too short to tell."""
    pairs = [(p[name], m[name]) for p, m in zip(plain, masked) if name in p and name in m]
    share = statistics.median(p.get(name, 0) / p["step"] for p in plain)
    if not pairs or (name not in GROUPS and share < LEAST):
        return None
    low, middle, high = statistics.quantiles([m / p for p, m in pairs], n=4)
    return f"| {name} | {100 * share:.1f} % | {middle:.3f} | {low:.3f} to {high:.3f} |"


def measure_width(arguments, width):
    with tempfile.TemporaryDirectory() as folder:
        processes = [start(arguments, width, more, folder) for more in ([], ["--mask-documents"])]
        plain, masked = measure(arguments, *processes)
        for process in processes:
            process.close()
    kernels = sorted((name for name in plain[0] if name not in GROUPS), key=lambda name: -plain[0][name])
    rows = filter(None, (row(name, plain, masked) for name in GROUPS + kernels))
    print("\n".join([f"width {width}, {arguments.tokens} tokens in sequences of {arguments.length}, {arguments.rounds} rounds", "",
                     "| | share of the step | masked / not | quartiles |", "|---|---|---|---|", *rows, ""]), flush=True)


def main():
    arguments = parse()
    for width in map(int, arguments.widths.split(",")):
        measure_width(arguments, width)


if __name__ == "__main__":
    main()
