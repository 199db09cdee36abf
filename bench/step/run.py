"""One training step of ours against PyTorch's, all variants in turns in one run.

    .deps/venv/bin/python bench/step/run.py [--model gla] [--quick] [--shapes 64,256,768] [--rounds 15] [--threads 2]

A step is forward, backward, clipping and AdamW on the same batch from the same weights. Each round lets every variant
take some steps, alone, in an order that changes; ratios are medians of the ratios within a round. Prints a table per
shape and writes bench/results/<date>-<cpu>.json and .md; with a model other than llama its name behind the CPU's.
"""
import argparse
import re
import statistics
import tempfile

import report
import workers
from sizes import CANON_SETS, ROOT, SHAPES, case

SECONDS = 0.4  # that a variant steps in a round


def parser_of(description, rounds, threads):
    """A parser of the options that all measurements of steps have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--threads", type=int, default=threads)
    parser.add_argument("--modes", default="eager,compile", help="of PyTorch: eager, compile, autotune")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                        help="cpu: time on processors, for busy machines; with --threads 1")
    parser.add_argument("--compiler", default=f"{ROOT}/build/bin/stretto-compile")
    parser.add_argument("--out", default=f"{ROOT}/bench/results", help="folder of the results; none: only print")
    return parser


def parse_with(parser):
    arguments = parser.parse_args()
    if arguments.clock == "cpu" and arguments.threads != 1:
        parser.error("--clock cpu needs --threads 1: threads that wait for each other count as busy")
    return arguments


def parse():
    parser = parser_of(__doc__, rounds=15, threads=2)
    parser.add_argument("--model", default="llama", choices=CANON_SETS)
    parser.add_argument("--shapes", default="64,256,768", help="of " + ", ".join(SHAPES))
    parser.add_argument("--forms", default="none,conv,shift", help="of Canon in PyTorch")
    parser.add_argument("--quick", action="store_true", help="PyTorch eager only, five rounds")
    arguments = parse_with(parser)
    if arguments.quick:
        arguments.modes, arguments.rounds = "eager", min(arguments.rounds, 5)
    return arguments


def start(arguments, shape, folder):
    """All variants of a shape, ready to step, their first losses compared."""
    variants, model = [], arguments.model
    for form in arguments.forms.split(","):
        for mode in arguments.modes.split(","):
            print(f"{model}, shape {shape}: starting pytorch {mode}, canon {form}", flush=True)
            variants.append(workers.pytorch(model, shape, form, mode, arguments.threads, folder))
    for canon in CANON_SETS[model]:
        theirs = [v for v in variants if v.canon == canon and not v.ours]
        weights = theirs[0].facts["weights"] if theirs else None
        name = "stretto" if canon == "none" else f"stretto, {canon}"
        ours = workers.stretto(name, canon, case(model, shape, canon), arguments.compiler, weights, arguments.threads, folder)
        workers.check_losses(ours, theirs)
        variants.append(ours)
    return variants


def rounds(arguments, variants):
    """Yields before each round; fills the samples of the variants (seconds per step, one per round) and profiles of ours."""
    key = "seconds" if arguments.clock == "wall" else "cpu_seconds"
    for variant in variants:
        variant.steps = max(2, min(20, round(SECONDS / min(variant.ask("time 2")["seconds"]))))
    for number in range(arguments.rounds):
        yield number
        shift = number % len(variants)
        for variant in variants[shift:] + variants[:shift]:
            taken = variant.ask(f"time {variant.steps + 1}")[key][1:]  # the first one finds cold caches
            variant.samples.append(statistics.median(taken))
            if variant.ours:
                variant.profiles.append(variant.ask(f"profile {variant.steps}"))


def finish(variants):
    """Asks for memory, of which the compiler has told what ours keep for the backward, and ends the processes."""
    for variant in variants:
        variant.facts = variant.ask("memory") | variant.facts
        variant.process.close()
        variant.facts.pop("weights", None)


def measure_shape(arguments, shape, check):
    with tempfile.TemporaryDirectory() as folder:
        variants = start(arguments, shape, folder)
        checks = [check.measure() for _ in rounds(arguments, variants)]
        finish(variants)
    return report.shape_result(shape, variants, checks)


def cpu_name():
    with open("/proc/cpuinfo") as file:
        names = re.findall(r"model name\s*: (.*)", file.read())
    return names[0].strip() if names else "unknown"


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory() as folder:
        check = workers.FmaCheck(folder)
        results = []
        for shape in arguments.shapes.split(","):
            results.append(measure_shape(arguments, shape, check))
            print(report.shape_text(results[-1]), flush=True)
        check.process.close()
    if arguments.out != "none":
        report.write(arguments.out, cpu_name(), arguments, results)


if __name__ == "__main__":
    main()
