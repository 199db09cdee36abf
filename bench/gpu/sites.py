#!/usr/bin/env python3
"""Canon by itself and where it is fused, on a GPU machine: our kernels against a copy, themselves without Canon, and PyTorch.

    bench/gpu/sites.py [--from build/gpu] [--only SITE,SITE] [--budget 230] [--out FOLDER]

Needs the folder that test/gpu/prepare made and Python with torch 2.11. Each site of sites.stretto has a process of its own; they get
ready (compile) side by side and are measured one after the other, all sides in turns, the others idle. Writes
<date>-<gpu>-sites.json and .md, also while it goes on; bench/gpu/run.py takes the goals from the JSON.
"""
import argparse
import datetime
import json
import os
import sys
import tempfile
import time

import goals
from children import Variant, start_all
from rank import ceilings
from setting import HERE, ROOT, machine, results_folder, slug, write
from site_goals import median, ratio, site_goals

ROUNDS, SMALL_ROUNDS = 30, 3
LONGEST = 25  # seconds of all rounds of a site
LARGE = 100 << 20  # bytes of an operand from which two layers are more than a cache holds of anything


def settings_of(name, made, folder, small, seconds):
    """For site_worker.py; `made` is what facts.json has of a site."""
    dim = made["dim"]
    width = {"rotary": 3 * dim, "gate": 2 * (8 * dim // 3 // 8 * 8)}.get(made["site"], dim)
    settings = {"width": width, "heads": max(1, dim // 64), "folder": folder, "small": small, "seconds": seconds}
    settings |= {part: made[part] for part in ("site", "dim", "batch", "length", "layers")}
    settings["models"] = {"canon": f"{folder}/sites/{name}.so"}
    if name.endswith("-canon"):
        settings["models"]["plain"] = f"{folder}/sites/{name.removesuffix('canon')}plain.so"
    settings["copies"] = 1 if 2 * made["batch"] * made["length"] * width >= LARGE else 2
    return settings


def variants_of(facts, folder, work, only, seconds):
    environment = machine.environment(folder) | {"TORCHINDUCTOR_COMPILE_THREADS": "3"}
    variants = []
    for file, made in facts["sites"].items():
        name = file.removesuffix("-canon")
        if not file.endswith("-plain") and (not only or name in only):
            caches = {"TORCHINDUCTOR_CACHE_DIR": f"{work}/inductor-{name}", "TRITON_CACHE_DIR": f"{work}/triton-{name}"}
            variants.append(Variant(name, settings_of(file, made, folder, facts["emulated"], seconds),
                                    [sys.executable, f"{HERE}/site_worker.py"], environment | caches))  # fmt: skip
    return variants


def entry_of(variant):
    samples = variant.facts.get("samples", {})
    entry = {"name": variant.name, "settings": variant.settings, "seconds": {side: median(s) for side, s in samples.items() if s}}
    return entry | variant.facts | ({"problem": variant.problem} if variant.problem else {})


def table(entry):
    """Of one site: what each side takes, and by what of ours that is more."""
    lines = ["", f"## {entry['name']}", "", "| side | us | GB/s | by ours with Canon |", "|---|---|---|---|"]
    for side, seconds in entry["seconds"].items():
        moved = entry["bytes"].get(side)
        against = f"canon {side.split()[-1]}"
        times = f"{ratio(entry, side, against):.2f}" if side != "copy" else ""
        lines.append(f"| {side} | {1e6 * seconds:.1f} | {f'{moved / seconds / 1e9:.0f}' if moved else ''} | {times} |")
    return lines + [f"* not measured as it should be: {side}: {problem}" for side, problem in entry["problems"].items()]


def text_of(result):
    head = f"# Sites of Canon on a GPU, {result['date']}, {result['machine'].get('gpu')}, commit {result['commit']}"
    if result["emulated"]:
        head += "\n\n**Emulated kernels and tiny sites: no figure here means anything.**"
    lines = [head, "", f"`bench/gpu/sites.py`, torch {result['machine'].get('torch')}; medians of {result['rounds']} rounds, ratios within "
             "rounds. \"canon\" and \"plain\" are our kernels with and without Canon; bytes are what these move.", "",
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
    parser.add_argument("--only", default="", help="conv-WIDTH, norm, rotary, gate; all if none is named")
    parser.add_argument("--budget", type=float, default=230, help="seconds for everything")
    parser.add_argument("--out", default=results_folder())
    arguments = parser.parse_args()
    begin = time.monotonic()
    folder = os.path.abspath(arguments.folder)
    with open(f"{folder}/facts.json", encoding="utf-8") as file:
        facts = json.load(file)
    small = facts["emulated"]
    result = {"date": datetime.date.today().isoformat(), "commit": facts["commit"], "emulated": small,
              "machine": ceilings(small, 60), "rounds": SMALL_ROUNDS if small else ROUNDS, "sites": []}  # fmt: skip
    print(json.dumps(result["machine"]), flush=True)
    path = f"{arguments.out}/{result['date']}-{slug(result['machine'].get('gpu', 'unknown'))}{'-emulated' if small else ''}-sites"
    with tempfile.TemporaryDirectory() as work:
        only = [name for name in arguments.only.split(",") if name]
        variants = variants_of(facts, folder, work, only, 0.4 * arguments.budget)

        def note():
            result["sites"] = [entry_of(v) for v in variants]
            result["goals"] = goals.in_order(site_goals(result["sites"]))
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
