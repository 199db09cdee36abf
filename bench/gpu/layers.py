#!/usr/bin/env python3
"""A whole mixer layer on a GPU machine (goal G13): projections, convolution, norms, gates, the mixer and the output, forward,
backward and AdamW; ours against PyTorch's chunks and fla's kernels, compiled.

    bench/gpu/layers.py [--from build/gpu] [--only gdn,gla] [--budget 470] [--out FOLDER]

Needs the folder that test/gpu/prepare made and Python with torch 2.11. Each side takes steps of two models that differ in the number of
layers; a layer takes the difference, divided. Sides take turns; ratios are medians of the ratios within a round. Writes
<date>-<gpu>-layers.json and .md, also while it goes on.
"""
import argparse
import datetime
import os
import statistics
import sys
import tempfile
import time

import goals
from chains import installed
from children import Variant, start_all
from rank import ceilings
from setting import HERE, OPTIONS, ROOT, machine, results_folder, slug, write

import rows

ROUNDS, SMALL_ROUNDS, STEPS = 12, 2, 20
MODES = ("compile", "graph")


def forms(small):
    """(form, mode) of PyTorch."""
    return [(form, mode) for form in ("conv", *installed({"fla": "fla"})) for mode in (("eager",) if small else MODES)]


class Layer:
    """A mixer's layer on one side: a shallow and a deep model."""

    def __init__(self, mixer, side, variants, depths):
        self.mixer, self.side, self.variants, self.depths = mixer, side, variants, depths

    def samples(self):
        """Seconds of a layer in each round."""
        shallow, deep = (v.samples for v in self.variants)
        return [(b - a) / (self.depths[1] - self.depths[0]) for a, b in zip(shallow, deep)]

    def problem(self):
        return next((v.problem for v in self.variants if v.problem), "")

    def seconds(self):
        samples = [] if self.problem() else self.samples()
        return statistics.median(samples) if samples else None

    def entry(self):
        return {"mixer": self.mixer, "side": self.side, "depths": self.depths, "seconds": self.seconds(), "problem": self.problem(),
                "samples": {v.name: v.samples for v in self.variants}, "facts": {v.name: v.facts for v in self.variants}}  # fmt: skip


def depths_of(facts, mixer):
    return sorted(made["layers"] for name, made in facts["layers"].items() if name.startswith(f"layers-{mixer}-"))


def data_of(work, made):
    path = f"{work}/rows.safetensors"
    if not os.path.exists(path):
        found = rows.make_rows(made["batch"], made["length"], made["vocabulary"])
        rows.write_safetensors(path, {name: found[name] for name in ("tokens", "targets")})
    return path


def ours(folder, facts, mixer, work):
    environment, depths = machine.environment(folder), depths_of(facts, mixer)
    names = [f"layers-{mixer}-{depth}" for depth in depths]
    words = [sys.executable, f"{HERE}/ready.py"]
    variants = [Variant(f"stretto {name}", None, [*words, f"{folder}/programs/{name}", "--tokens",
                                                  data_of(work, facts["layers"][name]), "--bench", *OPTIONS], environment)
                for name in names]  # fmt: skip
    return Layer(mixer, "stretto", variants, depths)


def theirs(facts, mixer, form, mode, work):
    depths, variants = depths_of(facts, mixer), []
    for depth in depths:
        made = facts["layers"][f"layers-{mixer}-{depth}"]
        settings = {name: made[name] for name in ("dim", "layers", "batch", "length", "vocabulary")}
        settings |= {"mixer": mixer, "form": form, "mode": mode, "precision": "autocast", "attention": "cudnn",
                     "rows": data_of(work, made)}  # fmt: skip
        caches = {"TORCHINDUCTOR_CACHE_DIR": f"{work}/inductor", "TRITON_CACHE_DIR": f"{work}/triton",
                  "TORCHINDUCTOR_COMPILE_THREADS": "5"}  # fmt: skip
        name = f"{mixer}, {depth} layers, {form}, {mode}"
        variants.append(Variant(name, settings, [sys.executable, f"{HERE}/worker.py"], caches))
    return Layer(mixer, f"{form} {mode}", variants, depths)


def ratio(layer, mine):
    """Of the times of two layers, or None."""
    if layer.seconds() is None or mine.seconds() is None:
        return None
    return statistics.median(a / b for a, b in zip(layer.samples(), mine.samples()))


def goal_rows(layers):
    """G13 of each mixer: how often our layer fits into the best form with fla's kernels, and with PyTorch's chunks."""
    result = []
    for mine in (layer for layer in layers if layer.side == "stretto"):
        for form, what, least in (("fla", "fla's kernels, compiled", 2), ("conv", "PyTorch's chunks, compiled", None)):
            found = [ratio(layer, mine) for layer in layers if layer.mixer == mine.mixer and layer.side.startswith(form)]
            known = [value for value in found if value is not None]
            result.append(goals.row("G13", f"{mine.mixer}, a whole layer, against {what}", f"at least {least}x" if least else "no goal",
                                    min(known) if known else None, (lambda v, least=least: v >= least) if least else None,
                                    "{:.2f}x"))  # fmt: skip
    return result


def text_of(result, layers):
    head = f"# A mixer layer on a GPU, {result['date']}, {result['machine'].get('gpu')}, commit {result['commit']}"
    if result["emulated"]:
        head += "\n\n**Emulated kernels and tiny layers: no figure here means anything.**"
    lines = [head, "", f"`bench/gpu/layers.py`, torch {result['machine'].get('torch')}, {result['rounds']} rounds; {result['sizes']}. Forward, "
             "backward and AdamW of a layer: the difference of steps of two depths, divided.", "",
             *goals.lines_of(result["goals"]), "", "| mixer | side | us |", "|---|---|---|"]  # fmt: skip
    lines += [f"| {layer.mixer} | {layer.side} | {1e6 * layer.seconds():.1f} |" for layer in layers if layer.seconds() is not None]
    lines += [""] + [f"* not measured: {layer.mixer}, {layer.side}: {layer.problem()[-300:]}" for layer in layers if layer.problem()]
    return "\n".join(lines) + "\n"


def measure(variants, small, end, note):
    for number in range(SMALL_ROUNDS if small else ROUNDS):
        if time.monotonic() > end - 30:
            break
        shift = number % len(variants)
        for variant in variants[shift:] + variants[:shift]:
            variant.time(1 if small else STEPS)
        note(number + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", default=f"{ROOT}/build/gpu")
    parser.add_argument("--only", default="", help="mixers: gdn, gla, mamba2; all if none is named")
    parser.add_argument("--budget", type=float, default=470, help="seconds for everything")
    parser.add_argument("--out", default=results_folder())
    arguments = parser.parse_args()
    begin, folder = time.monotonic(), os.path.abspath(arguments.folder)
    facts = machine.facts_of(folder, "layers")
    machine.make_executable(folder)
    small, one = facts["emulated"], next(iter(facts["layers"].values()))
    only = [name for name in arguments.only.split(",") if name]
    mixers = [m for m in dict.fromkeys(name.split("-")[1] for name in facts["layers"]) if not only or m in only]
    result = {"date": datetime.date.today().isoformat(), "commit": facts["commit"], "emulated": small, "rounds": 0,
              "sizes": f"{one['batch']} x {one['length']} tokens of width {one['dim']}", "machine": ceilings(small, 60)}  # fmt: skip
    path = f"{arguments.out}/{result['date']}-{slug(result['machine'].get('gpu', 'unknown'))}{'-emulated' if small else ''}-layers"
    with tempfile.TemporaryDirectory() as work:
        layers = [ours(folder, facts, mixer, work) for mixer in mixers]
        layers += [theirs(facts, mixer, form, mode, work) for mixer in mixers for form, mode in forms(small)]
        variants = [v for layer in layers for v in layer.variants]

        def note(rounds=None):
            result["rounds"] = rounds or result["rounds"]
            result["layers"], result["goals"] = [layer.entry() for layer in layers], goal_rows(layers)
            write(path + ".json", result)
            with open(path + ".md", "w", encoding="utf-8") as file:
                file.write(text_of(result, layers))

        try:
            start_all(variants[::-1], work, 3, begin + 0.7 * arguments.budget, note)
            measure(variants, small, begin + arguments.budget, note)
            note()
        finally:
            for variant in variants:
                variant.close()
        print(text_of(result, layers) + f"\nwritten: {path}.json, {path}.md after {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
