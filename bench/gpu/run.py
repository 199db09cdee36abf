#!/usr/bin/env python3
"""Second call on a GPU machine: our programs and the best PyTorch forms in turns; what the goals ask for.

    bench/gpu/run.py [--forms <date>-<gpu>-forms.json] [--sites <date>-<gpu>-sites.json <date>-<gpu>-mixers.json ...]
                     [--from build/gpu] [--budget 470] [--out FOLDER]

Needs the folder that test/gpu/prepare made, and Python with torch 2.11. Which PyTorch forms are the best stands in what
bench/gpu/rank.py wrote; without it those run that are expected to be. Goals of single sites come
from what bench/gpu/sites.py wrote. Each round lets every
variant take some steps, alone, in an order that changes; ratios are medians of the ratios within a round. Writes
<date>-<gpu>.json and .md, also while it goes on.
"""
import argparse
import datetime
import json
import os
import statistics
import sys
import tempfile
import time

from children import Variant, start_all
from fused_goals import fused_goals
from goals import PEAK_FLOPS, goals, in_order, lines_of
from mixer_goals import mixer_goals
from rank import STEPS, ceilings, unranked, variant_of
from setting import HERE, OPTIONS, ROOT, flops_per_token, machine, results_folder, shape, slug, write
from site_goals import site_goals

import rows

ROUNDS = 12
AT_ONCE = max(3, os.cpu_count() // 3)  # that get ready, each with some processes that compile


def share(mine, others, names, work):
    """Lets all train on the same rows, and ours at 32k tokens begin with the weights of the PyTorch form they are compared with, so
    that first losses can be compared."""
    for v in others:
        v.settings["rows"] = f"{work}/rows-{v.key['tokens']}.safetensors"
    for kind in ("canon", "plain"):
        best = [v for v in others if v.name == names.get(f"32k {kind} best")]
        if best:
            best[0].settings["weights"] = f"{work}/weights-{kind}.safetensors"
            for v in mine:
                if (v.key["tokens"], v.key["kind"]) == ("32k", kind):
                    v.command += ["--init-from", best[0].settings["weights"]]


def in_starting_order(mine, others):
    """Those that give weights, ours, and the other forms, which compile for long: what is not ready in time is left out."""
    return sorted(mine + others, key=lambda v: 0 if "weights" in (v.settings or {}) else 1 if v in mine else 2)


def ours(folder, small, work):
    """Our programs, on random tokens."""
    environment, variants = machine.environment(folder), []
    for tokens in ("32k", "2k"):
        model = shape(tokens, small)
        data = f"{work}/rows-{tokens}.safetensors"
        made = rows.make_rows(model["batch"], model["length"], model["vocabulary"])
        rows.write_safetensors(data, {name: made[name] for name in ("tokens", "targets")})
        for kind in ("canon", "plain"):
            forms = [("", kind, [])]
            if (tokens, kind) == ("32k", "canon"):
                forms += [(", not deterministic", kind, ["--deterministic", "off"]), (", kernels apart", "apart", [])]
            for name, file, more in forms:
                program = f"{folder}/programs/bench-{file}-{tokens}"
                words = [sys.executable, f"{HERE}/ready.py", program, "--tokens", data, "--bench", *OPTIONS, *more]
                variants.append(Variant(f"stretto {tokens} {kind}{name}", None, words, environment))
                variants[-1].key = {"tokens": tokens, "kind": kind}
    return variants


def theirs(forms, work, small):
    """The winners that the goals name; a form that wins twice runs once and has two names."""
    entries = {e["name"]: e for e in forms["forms"]}
    wanted = {question: forms["winners"].get(question) for question in (
        "32k canon best", "32k plain best", "32k canon compile", "32k canon conv", "2k canon compile", "2k canon reduce-overhead",
        "2k canon best")}
    variants, names = {}, {}
    for question, name in wanted.items():
        if name:
            e = entries[name]
            key = tuple(e[part] for part in ("tokens", "form", "mode", "precision"))
            variants.setdefault(name, variant_of(key, forms["attention"], small, work))
            names[question] = name
    return list(variants.values()), names


class Figures:
    """What was measured, by names of variants and by the questions they answer."""

    def __init__(self, variants, names, programs, machine_facts):
        self.by_name = {v.name: v for v in variants}
        self.names, self.programs, self.machine = names, programs, machine_facts

    def variant(self, name):
        return self.by_name.get(self.names.get(name, name))

    def time(self, name):
        v = self.variant(name)
        return statistics.median(v.samples) if v and v.samples else None

    def ratio(self, a, b):
        a, b = self.variant(a), self.variant(b)
        pairs = list(zip(a.samples, b.samples)) if a and b and not a.problem and not b.problem else []
        return statistics.median([x / y for x, y in pairs]) if pairs else None

    def peak(self, name):
        v = self.variant(name)
        return v.facts.get("measured") if v else None

    def tokens(self, name):
        v = self.variant(name)
        return v.rows if v else None

    def compile(self, name):
        if name.startswith("stretto"):
            _, tokens, kind = name.split()[:3]
            made = self.programs.get(f"bench-{kind}-{tokens}")  # the lesser: of a machine that may have been busy
            return min(made["compile_seconds"], made["compile_processor_seconds"]) if made else None
        v = self.variant(name)
        return v.facts.get("compile_seconds") if v else None

    def head(self):
        """Seconds of our head and loss, and of its three matmuls alone."""
        v = self.variant("stretto 32k canon")
        profile = v.facts.get("profile") if v else None
        if not profile:
            return None, None
        words = str(v.vocabulary)
        matmuls = sum(k["seconds"] for k in profile["kernels"]
                       if k["name"].startswith("matmul ") and words in k["name"].split()[1:])
        return matmuls + profile["groups"].get("loss", 0), self.machine.get("head_matmuls_seconds")


def text_of(result, figures):
    head = f"# Training step on a GPU, {result['date']}, {result['machine'].get('gpu')}, commit {result['commit']}"
    if result["emulated"]:
        head += "\n\n**Emulated kernels and a tiny model: no figure here means anything.**"
    copy = result["machine"].get("copy_bytes_per_second", 0)
    lines = [head, "", f"`bench/gpu/run.py`, {result['rounds']} rounds; copy {copy / 1e12:.2f} TB/s, bf16 matmuls "
             f"{result['machine'].get('matmul_flops', 0) / 1e12:.0f} TFLOP/s. MFU: matmuls and attention as 2mnk, three times "
             f"the forward, of {PEAK_FLOPS / 1e12:.0f} TFLOP/s. PyTorch forms: {result['forms']}. Goals G6 to G14, G22 to G24: {result['sites']}.", "",
             *lines_of(result["goals"])]  # fmt: skip
    lines += ["", "| step | ms | tokens/s | MFU | peak GB | first loss |",
              "|---|---|---|---|---|---|"]
    for v in result["variants"]:
        if "seconds" in v:
            lines.append(f"| {v['name']} | {1e3 * v['seconds']:.2f} | {v['tokens_per_second']:.0f} | {100 * v['mfu']:.1f} % | "
                         f"{v.get('measured', 0) / 1e9:.2f} | {v.get('loss', float('nan')):.4f} |")
    for v in result["variants"]:
        if v.get("profile") and copy:
            lines += ["", f"## {v['name']}: where the time goes", "",
                      ", ".join(f"{name} {1e3 * s:.2f} ms" for name, s in v["profile"]["groups"].items()), "",
                      "| kernel | calls | ms | GB/s | of a copy | TFLOP/s |", "|---|---|---|---|---|---|"]  # fmt: skip
            for k in v["profile"]["kernels"]:
                rate = k["gigabytes_per_second"]
                lines.append(f"| {k['name']} | {k['calls']} | {1e3 * k['seconds']:.3f} | {rate:.0f} | "
                             f"{f'{100e9 * rate / copy:.0f} %' if rate else ''} | {k['gigaflops'] / 1e3:.1f} |")
    lines += [""] + [f"* {question}: {name}" for question, name in figures.names.items()]
    lines += [f"* not measured: {v['name']}: {v['problem'][-300:]}" for v in result["variants"] if v.get("problem")]
    return "\n".join(lines) + "\n"


def entry_of(variant, small):
    model = shape(variant.key["tokens"], small)
    variant.rows, variant.vocabulary = model["batch"] * model["length"], model["vocabulary"]
    entry = {"name": variant.name, "samples": variant.samples, "settings": variant.settings} | variant.facts
    if variant.samples:
        entry["seconds"] = statistics.median(variant.samples)
        entry["tokens_per_second"] = variant.rows / entry["seconds"]
        entry["mfu"] = entry["tokens_per_second"] * flops_per_token(model) / PEAK_FLOPS
    return entry | ({"problem": variant.problem} if variant.problem else {})


def measure(variants, small, end, note):
    for variant in variants:
        variant.facts |= variant.ask("memory") or {}
    for number in range(2 if small else ROUNDS):
        shift = number % len(variants)
        if time.monotonic() > end - 40:
            break
        for variant in variants[shift:] + variants[:shift]:
            variant.time(2 if small else STEPS[variant.key["tokens"]])
        note(number + 1)
    for variant in variants:
        if not variant.settings and "not" not in variant.name and time.monotonic() < end - 15:
            variant.facts["profile"] = variant.ask(f"profile {2 if small else 10}")
            note()


def forms_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def sites_of(paths):
    """Sites, mixers and sites in matmuls that sites.py measured, and "from": where they come from."""
    result, sources = {"sites": [], "mixers": [], "fused": []}, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        result[found["kind"]] = found["sites"]
        sources.append(f"{os.path.basename(path)}, commit {found['commit']}, {found['machine'].get('gpu')}")
    return result | {"from": "; ".join(sources) or "not measured"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forms", help="what bench/gpu/rank.py wrote")
    parser.add_argument("--sites", nargs="*", default=[], help="what bench/gpu/sites.py wrote, of sites, of mixers and of sites in matmuls")
    parser.add_argument("--from", dest="folder", default=f"{ROOT}/build/gpu")
    parser.add_argument("--budget", type=float, default=470, help="seconds for everything")
    parser.add_argument("--out", default=results_folder())
    arguments = parser.parse_args()
    begin = time.monotonic()
    end = begin + arguments.budget
    sites = sites_of(arguments.sites)
    folder = os.path.abspath(arguments.folder)
    facts = machine.facts_of(folder, "programs")
    small = facts["emulated"]
    machine.make_executable(folder)
    found = ceilings(small, 60)  # of this machine, which may not be the one of the first call
    forms = forms_of(arguments.forms) if arguments.forms else unranked(found, small)
    result = {"date": datetime.date.today().isoformat(), "commit": facts["commit"], "emulated": small, "rounds": 0,
              "forms": os.path.basename(arguments.forms) if arguments.forms else "the usual ones, not ranked",
              "sites": sites["from"],
              "machine": found if "gpu" in found else forms["machine"]}  # fmt: skip
    path = f"{arguments.out}/{result['date']}-{slug(result['machine'].get('gpu', 'unknown'))}{'-emulated' if small else ''}"
    with tempfile.TemporaryDirectory() as work:
        others, names = theirs(forms, work, small)
        mine = ours(folder, small, work)
        share(mine, others, names, work)
        variants = mine + others
        figures = Figures(variants, names, facts["programs"], result["machine"])

        def note(rounds=None):
            result["rounds"] = rounds or result["rounds"]
            result["variants"] = [entry_of(v, small) for v in variants]
            result["goals"] = in_order(goals(figures) + site_goals(sites["sites"]) + mixer_goals(sites["mixers"]) +
                                       fused_goals(sites["fused"]))  # fmt: skip
            write(path + ".json", result)
            with open(path + ".md", "w", encoding="utf-8") as file:
                file.write(text_of(result, figures))

        try:
            start_all(in_starting_order(mine, others), work, AT_ONCE, begin + 0.7 * arguments.budget, note)
            measure(variants, small, end, note)
            note()
        finally:
            for variant in variants:
                variant.close()
        brief = text_of(result, figures).partition("\n## ")[0]  # only the end of long outputs may be kept
        print(brief + f"\nwritten: {path}.json, {path}.md after {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
