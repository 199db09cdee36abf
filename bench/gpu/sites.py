#!/usr/bin/env python3
"""Single sites on a GPU machine. Canon by itself and where it is fused: our kernels against a copy, themselves without Canon, and
PyTorch; with --mixers linear mixers, against PyTorch, fla and mamba_ssm; with --fused sites in the epilogues of matmuls, against these
alone, cuBLASLt, and kernels apart.

    bench/gpu/sites.py [--mixers | --fused] [--from build/gpu] [--only SITE,SITE] [--budget 230] [--out FOLDER]

Needs the folder that test/gpu/prepare made and Python with torch 2.11. Each site of sites.stretto or mixers.stretto has a process
of its own; they get ready (compile) side by side and are measured one after the other, all sides in turns, the others idle. Writes
<date>-<gpu>-sites.json (or -mixers.json, -fused.json) and .md, also while it goes on; bench/gpu/run.py takes the goals from the JSON.
"""
import argparse
import dataclasses
import datetime
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable

import goals
from children import Variant, start_all
from fused_goals import fused_goals
from mixer_goals import mixer_goals
from rank import ceilings
from setting import HERE, ROOT, machine, results_folder, slug, write
from programs import PRODUCTS
from site_goals import median, ratio, site_goals

ROUNDS, SMALL_ROUNDS = 30, 3
LONGEST = 25  # seconds of all rounds of a site
LARGE = 100 << 20  # bytes of an operand from which two layers are more than a cache holds of anything


def sizes_of(made):
    dim = made["dim"]
    width = {"rotary": 3 * dim, "gate": 2 * (8 * dim // 3 // 8 * 8)}.get(made["site"], dim)
    sizes = {part: made[part] for part in ("site", "dim", "batch", "length", "layers")}
    return sizes | {"width": width, "heads": max(1, dim // 64)}


def canon_settings(name, made, folder):
    """What site_worker.py needs of a site of sites.stretto; `made` is what facts.json has of it."""
    settings = sizes_of(made) | {"models": {"canon": f"{folder}/sites/{name}.so"}}
    if name.endswith("-canon"):
        settings["models"]["plain"] = f"{folder}/sites/{name.removesuffix('canon')}plain.so"
    return settings


def mixer_settings(name, made, folder):
    """The same of one of mixers.stretto."""
    return made | {"width": made["heads"] * made["values"], "models": {"mixer": f"{folder}/sites/{name}.so"}}


def fused_settings(name, made, folder):
    """What fused_worker.py needs of one that lies in the epilogue of a matmul."""
    models = {kind: f"{folder}/sites/{name}-{file}.so" for kind, file in (("fused", "fused"), ("product", "product"), ("apart", "canon"))}
    return sizes_of(made) | {"ways": PRODUCTS[name], "models": models}


@dataclasses.dataclass(frozen=True)
class Kind:
    """Of sites: what the worker needs of each, and what they decide."""

    title: str
    settings: Callable
    goals: Callable
    worker: str = "site_worker.py"


# By what facts.json calls them.
KINDS = {"sites": Kind("Sites of Canon", canon_settings, site_goals),
         "mixers": Kind("Linear mixers", mixer_settings, mixer_goals),
         "fused": Kind("Sites in matmuls", fused_settings, fused_goals, "fused_worker.py")}  # fmt: skip


def settings_of(kind, name, made, folder, small, seconds):
    settings = KINDS[kind].settings(name, made, folder) | {"folder": folder, "small": small, "seconds": seconds}
    settings["copies"] = 1 if 2 * made["batch"] * made["length"] * settings["width"] >= LARGE else 2
    return settings


def variants_of(kind, facts, folder, work, only, seconds):
    environment = machine.environment(folder) | {"TORCHINDUCTOR_COMPILE_THREADS": "3"}
    variants = []
    for file, made in facts[kind].items():
        name = file.removesuffix("-canon")
        if not file.endswith("-plain") and (not only or name in only):
            caches = {"TORCHINDUCTOR_CACHE_DIR": f"{work}/inductor-{name}", "TRITON_CACHE_DIR": f"{work}/triton-{name}"}
            variants.append(Variant(name, settings_of(kind, file, made, folder, facts["emulated"], seconds),
                                    [sys.executable, f"{HERE}/{KINDS[kind].worker}"], environment | caches))  # fmt: skip
    return variants


def entry_of(variant):
    samples = variant.facts.get("samples", {})
    entry = {"name": variant.name, "settings": variant.settings, "seconds": {side: median(s) for side, s in samples.items() if s}}
    return entry | variant.facts | ({"problem": variant.problem} if variant.problem else {})


def table(entry):
    """Of one site: what each side takes, and by what of ours that is more."""
    ours = next(iter(entry["settings"]["models"]))
    lines = ["", f"## {entry['name']}", "", f"| side | us | GB/s | by that of \"{ours}\" |", "|---|---|---|---|"]
    for side, seconds in entry["seconds"].items():
        moved = entry["bytes"].get(side)
        against = f"{ours} {side.split()[-1]}"
        times = f"{ratio(entry, side, against):.2f}" if side != "copy" else ""
        lines.append(f"| {side} | {1e6 * seconds:.1f} | {f'{moved / seconds / 1e9:.0f}' if moved else ''} | {times} |")
    lines += [f"* {side}: {flops / entry['seconds'][side] / 1e12:.0f} TFLOP/s of the matmul"
              for side, flops in entry.get("flops", {}).items() if side in entry["seconds"]]  # fmt: skip
    lines += [f"* {form}: {', '.join(f'{name} {error:.1e}' for name, error in errors.items())} of the norm away from f64"
              for form, errors in entry.get("errors", {}).items()]  # fmt: skip
    return lines + [f"* not measured as it should be: {side}: {problem}" for side, problem in entry["problems"].items()]


def text_of(result):
    head = f"# {KINDS[result['kind']].title} on a GPU, {result['date']}, {result['machine'].get('gpu')}, commit {result['commit']}"
    if result["emulated"]:
        head += "\n\n**Emulated kernels and tiny sites: no figure here means anything.**"
    lines = [head, "", f"`bench/gpu/sites.py`, torch {result['machine'].get('torch')}; medians of {result['rounds']} rounds, ratios within "
             "rounds. \"canon\" and \"plain\" are our kernels with and without Canon, \"mixer\" those of a mixer; \"fused\" a site in the "
             "epilogue of a matmul, \"product\" the same matmul alone, \"library\" cuBLASLt's, \"apart\" that and our kernels; bytes are what these move. "
             "\"launched\": from Python each time, all else that is short in graphs.", "",
             *goals.lines_of(result["goals"])]  # fmt: skip
    for entry in result["sites"]:
        lines += table(entry) if entry["seconds"] else ["", f"* not measured: {entry['name']}: {entry.get('problem', '')[-300:]}"]
    return "\n".join(lines) + "\n"


def measure(variants, rounds, end, note):
    for variant in variants:
        left = end - time.monotonic()
        if variant.child and left < 15:
            variant.fail("there was no time to measure it")
        variant.facts |= variant.ask(f"measure {rounds} {min(LONGEST, left - 10):.0f}", left) or {}
        variant.close()
        note()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", default=f"{ROOT}/build/gpu")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--mixers", action="store_const", dest="kind", const="mixers", help="linear mixers in place of sites of Canon")
    kinds.add_argument("--fused", action="store_const", dest="kind", const="fused", help="sites of Canon in matmuls")
    parser.add_argument("--only", default="", help="conv-WIDTH, norm, rotary, gate; gdn, gla, ssd, gla-short ..., rotary, gate; all if none is named")
    parser.add_argument("--budget", type=float, default=230, help="seconds for everything")
    parser.add_argument("--out", default=results_folder())
    arguments = parser.parse_args()
    begin = time.monotonic()
    folder = os.path.abspath(arguments.folder)
    kind = arguments.kind or "sites"
    facts = machine.facts_of(folder, kind)
    small = facts["emulated"]
    result = {"kind": kind, "date": datetime.date.today().isoformat(), "commit": facts["commit"], "emulated": small,
              "machine": ceilings(small, 60), "rounds": SMALL_ROUNDS if small else ROUNDS, "sites": []}  # fmt: skip
    print(json.dumps(result["machine"]), flush=True)
    path = f"{arguments.out}/{result['date']}-{slug(result['machine'].get('gpu', 'unknown'))}{'-emulated' if small else ''}-{kind}"
    with tempfile.TemporaryDirectory() as work:
        only = [name for name in arguments.only.split(",") if name]
        variants = variants_of(kind, facts, folder, work, only, 0.4 * arguments.budget)

        def note():
            result["sites"] = [entry_of(v) for v in variants]
            result["goals"] = goals.in_order(KINDS[kind].goals(result["sites"]))
            write(path + ".json", result)
            with open(path + ".md", "w", encoding="utf-8") as file:
                file.write(text_of(result))

        try:
            start_all(variants, work, 3 if small else 6, begin + 0.7 * arguments.budget, note)
            measure(variants, result["rounds"], begin + arguments.budget, note)
        finally:
            for variant in variants:
                variant.close()
        brief = text_of(result).partition("\n## ")[0]  # only the end of long outputs may be kept
        print(brief + f"\nwritten: {path}.json, {path}.md after {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
