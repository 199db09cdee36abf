"""One training step of any model against PyTorch's, which --emit=pytorch writes, in turns in one run on the CPU.

    .deps/venv/bin/python bench/step/specs.py [--threads 1] [--clock cpu] [--rounds 7]
    .deps/venv/bin/python bench/step/specs.py own.stretto --batch 4 --length 512 --set dim=128

Without a spec: those of bench/step/specs, architectures that have nothing but the language in common with the folder
models. Rounds are those of run.py. Prints a table; without a spec it writes bench/results/<date>-<cpu>-specs.json and .md.
"""
import os
import subprocess
import sys
import tempfile

import report
import workers
from run import cpu_name, finish, parse_with, parser_of, rounds
from sizes import ROOT, VOCABULARY, Case

HERE = os.path.dirname(os.path.abspath(__file__))

# Spec, sizes of its model, batch, length, vocabulary.
CASES = [("pre_norm", {}, 4, 512, 512), ("squared_relu", {}, 4, 512, 512), ("parallel", {}, 4, 512, 512), ("sandwich", {}, 4, 512, 512),
         ("gated_convolution", {}, 4, 512, 512), ("first_layer", {}, 4, 512, 512), ("pre_norm", {"dim": 48, "heads": 3}, 64, 32, 64),
         ("squared_relu", {"dim": 100, "heads": 5}, 16, 77, 101), ("gated_convolution", {"dim": 36, "layers": 3}, 32, 100, 300),
         ("parallel", {"dim": 128, "layers": 2}, 1, 4096, 64), ("pre_norm", {"layers": 2}, 1, 512, 50257),
         ("squared_relu", {"dim": 1024, "layers": 1}, 2, 512, 512)]


def parse():
    parser = parser_of(__doc__, rounds=7, threads=1)
    parser.add_argument("spec", nargs="?")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--length", type=int, default=512)
    parser.add_argument("--vocab", type=int, default=VOCABULARY)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="of the model")
    arguments = parse_with(parser)
    if not all("=" in setting for setting in arguments.set):
        parser.error("--set takes NAME=VALUE")
    return arguments


def cases(arguments):
    if arguments.spec:
        values = dict(setting.split("=", 1) for setting in arguments.set)
        return [Case(arguments.spec, values, arguments.batch, arguments.length, arguments.vocab)]
    return [Case(f"{HERE}/specs/{name}.stretto", *sizes) for name, *sizes in CASES]


def measure_case(arguments, of):
    """What was measured of a case: facts and samples of each variant, ours last."""
    with tempfile.TemporaryDirectory() as folder:
        variants = [workers.emitted(of, arguments.compiler, mode, arguments.threads, folder) for mode in arguments.modes.split(",")]
        ours = workers.stretto("stretto", "as written", of, arguments.compiler, variants[0].facts["weights"], arguments.threads, folder)
        workers.check_losses(ours, variants)
        variants.append(ours)
        for _ in rounds(arguments, variants):
            pass
        finish(variants)
    return variants


def row(of, variants):
    """A line of the table."""
    *theirs, ours = variants
    best = min(theirs, key=lambda v: report.median(v.samples))
    sizes = " ".join(f"{name}={value}" for name, value in of.values.items())
    shape = f"{of.batch} x {of.length}, vocabulary {of.vocabulary}" + (f", {sizes}" if sizes else "")
    seconds = max(v.facts["compile_seconds"] for v in theirs)
    return (f"| {os.path.basename(of.spec).removesuffix('.stretto')} | {shape} | {1e3 * report.median(ours.samples):.1f} | "
            f"{report.median(report.ratios(ours.samples, best.samples)):.2f} | {best.name.removeprefix('pytorch ')} | "
            f"{ours.facts['measured'] / best.facts['measured']:.2f} | {ours.facts['compile_seconds']:.1f}, {seconds:.0f} |")


HEAD = ("| spec | sizes | our step, ms | by PyTorch's best | which is | peak memory by its | compile time, s: ours, theirs |\n"
        "|---|---|---|---|---|---|---|")


def main():
    arguments = parse()
    rows, entries = [], []
    for of in cases(arguments):
        print(f"measuring {of.spec} {of.batch} x {of.length} {of.values or ''}", file=sys.stderr, flush=True)
        try:
            variants = measure_case(arguments, of)
        except subprocess.CalledProcessError as failed:  # the compiler has said why
            sys.exit(failed.returncode)
        rows.append(row(of, variants))
        entries.append(vars(of) | {"spec": os.path.relpath(of.spec, ROOT),
                                   "variants": [{"name": v.name, "samples": v.samples} | v.facts for v in variants]})
    table = "\n".join([HEAD, *rows])
    print(table)
    if arguments.out != "none" and not arguments.spec:
        settings = {name: getattr(arguments, name) for name in ("rounds", "threads", "modes", "clock")}
        cpu = cpu_name()
        report.save(arguments.out, f"{cpu}-specs", "bench/step/specs.py", settings, {"cpu": cpu, "cases": entries}, table + "\n")


if __name__ == "__main__":
    main()
