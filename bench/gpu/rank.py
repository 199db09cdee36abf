#!/usr/bin/env python3
"""First call on a GPU machine: what the machine can do, and which PyTorch form is the fastest for each model.

    bench/gpu/rank.py [--budget 470] [--small] [--from build/gpu] [--out FOLDER]

Writes <date>-<gpu>-forms.json and .md, also while it goes on; bench/gpu/run.py reads the JSON. Needs Python with torch
2.11 alone. Forms get ready (compile) three at a time. One that is ready is timed while the others are stopped, and ended, so that its
memory is free. --small: a model of a few layers, to try this where there is no GPU.
"""
import argparse
import datetime
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time

from children import Variant, start_all, stopped
from setting import HERE, ROOT, results_folder, shape, slug, write

STEPS = {"32k": 6, "2k": 40}  # of a sample
ROUNDS = 3
RESERVE = 20  # seconds to time the last form that gets ready


def forms(small):
    """(tokens, form, mode, precision), the most promising first: what is not ready in time is left out."""
    packages = [form for form, package in (("causal-conv1d", "causal_conv1d"), ("fla", "fla"))
                if importlib.util.find_spec(package)]  # fmt: skip
    convs = ["shift", "conv", *packages]
    if small:
        return [("2k", form, "eager", "master") for form in ("none", "shift", "conv")] + [("32k", "shift", "eager", "autocast")]
    result = [("32k", form, "compile", "master") for form in ("none", *convs)]
    result += [("2k", "shift", mode, "master") for mode in ("compile", "reduce-overhead", "graph")]
    result += [("32k", "shift", "autotune", "master"), ("2k", "none", "compile", "master")]
    result += [("2k", "conv", mode, "master") for mode in ("compile", "reduce-overhead")]
    result += [("32k", "shift", "compile", "autocast"), ("32k", "none", "autotune", "master")]
    result += [("2k", "none", "reduce-overhead", "master"), ("2k", "none", "graph", "master")]
    result += [(tokens, form, "eager", "master") for tokens in ("2k", "32k") for form in ("none", *convs)]
    result += [("32k", "none", "compile", "autocast"), ("2k", "shift", "compile", "autocast")]
    result += [("32k", "shift", "reduce-overhead", "master"), ("32k", "conv", "autotune", "master")]
    return result


def usual(small):
    """The form that wins each question as far as is known without a ranking: its key."""
    if small:
        return {"32k canon best": ("32k", "shift", "eager", "autocast"), "2k canon best": ("2k", "shift", "eager", "master")}
    compiled = {f"{tokens} canon compile": (tokens, "shift", "compile", "master") for tokens in ("32k", "2k")}
    compiled |= {"32k canon conv": ("32k", "conv", "compile", "master")}
    return compiled | {"32k canon best": ("32k", "shift", "compile", "master"), "32k plain best": ("32k", "none", "compile", "master"),
                       "2k canon best": ("2k", "shift", "graph", "master"),
                       "2k canon reduce-overhead": ("2k", "shift", "reduce-overhead", "master")}  # fmt: skip


def name_of(key):
    tokens, form, mode, precision = key
    return f"{tokens}, canon {form}, {mode}, {precision}"


def unranked(machine, small):
    """What stands for a file of forms where there is none."""
    parts = ("tokens", "form", "mode", "precision")
    return {"machine": machine, "attention": faster_attention(machine), "winners": {q: name_of(key) for q, key in usual(small).items()},
            "forms": [dict(zip(parts, key)) | {"name": name_of(key)} for key in usual(small).values()]}  # fmt: skip


def faster_attention(machine):
    times = {name: s for name, s in machine.get("attention_seconds", {}).items() if isinstance(s, float)}
    return min(times, key=times.get) if times else "flash"


def variant_of(key, attention, small, folder):
    tokens, form, mode, precision = key
    settings = shape(tokens, small) | {"form": form, "mode": mode, "precision": precision, "attention": attention}
    environment = {"TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TORCHINDUCTOR_COMPILE_THREADS": "5",
                   "TRITON_CACHE_DIR": f"{folder}/triton"}  # fmt: skip
    variant = Variant(name_of(key), settings, [sys.executable, f"{HERE}/worker.py"], environment)
    variant.key = dict(zip(("tokens", "form", "mode", "precision"), key))
    return variant


def ceilings(small, limit):
    """What ceilings.py found, or why not."""
    try:
        text = subprocess.run([sys.executable, f"{HERE}/ceilings.py", "small" if small else "full"], capture_output=True,
                              text=True, timeout=limit)  # fmt: skip
        return json.loads(text.stdout.splitlines()[-1]) if text.returncode == 0 else {"problem": text.stderr[-1500:]}
    except subprocess.TimeoutExpired:
        return {"problem": f"ran past {limit} s"}


def judge(variant, others, small):
    """Times a form that is ready, and ends it."""
    with stopped(others):
        variant.facts |= variant.ask("memory") or {}
        for _ in range(ROUNDS):
            variant.time(2 if small else STEPS[variant.key["tokens"]])
        variant.close()


def entry_of(variant):
    entry = variant.key | {"name": variant.name, "settings": variant.settings, "samples": variant.samples} | variant.facts
    if variant.samples:
        entry["seconds"] = statistics.median(variant.samples)
    return entry | ({"problem": variant.problem} if variant.problem else {})


def commit_of(folder):
    try:
        with open(f"{folder}/facts.json", encoding="utf-8") as file:
            return json.load(file)["commit"]
    except OSError:
        return "unknown"


def winners(entries):
    """The fastest form for each number of tokens, with and without Canon, and of each mode, and of the convolution as it is; by what they
    are asked for."""
    timed = [e for e in entries if "seconds" in e]
    result = {}
    for tokens in ("32k", "2k"):
        for canon in (True, False):
            fitting = [e for e in timed if e["tokens"] == tokens and (e["form"] != "none") == canon]
            for kind, modes in (("best", None), ("compile", ("compile", "autotune")), ("reduce-overhead", ("reduce-overhead",))):
                some = [e for e in fitting if modes is None or e["mode"] in modes]
                if some:
                    result[f"{tokens} {'canon' if canon else 'plain'} {kind}"] = min(some, key=lambda e: e["seconds"])["name"]
    convs = [e for e in timed if (e["tokens"], e["form"], e["mode"]) == ("32k", "conv", "compile")]
    return result | ({"32k canon conv": min(convs, key=lambda e: e["seconds"])["name"]} if convs else {})


def table(result):
    machine = result["machine"]
    lines = [f"# PyTorch forms, {result['date']}, {machine.get('gpu', 'unknown GPU')}, commit {result['commit']}", "",
             f"`bench/gpu/rank.py`: torch {machine.get('torch')}, copy {machine.get('copy_bytes_per_second', 0) / 1e12:.2f} TB/s "
             f"(read and written), bf16 matmuls {machine.get('matmul_flops', 0) / 1e12:.0f} TFLOP/s, attention by "
             f"{result['attention']}.", "", "| form | ms | tokens/s | peak GB | compile s |", "|---|---|---|---|---|"]  # fmt: skip
    timed = [e for e in result["forms"] if "seconds" in e]
    for e in sorted(timed, key=lambda e: (e["tokens"], e["form"] != "none", e["seconds"])):
        rows = e["settings"]["batch"] * e["settings"]["length"]
        lines.append(f"| {e['name']} | {1e3 * e['seconds']:.2f} | {rows / e['seconds']:.0f} | "
                     f"{e.get('measured', 0) / 1e9:.2f} | {e.get('compile_seconds', 0):.0f} |")
    lines += [""] + [f"* {question}: {name}" for question, name in result["winners"].items()]
    lines += [""] + [f"* not measured: {e['name']}: {e['problem'][-200:]}" for e in result["forms"] if e.get("problem")]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget", type=float, default=470, help="seconds for everything")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--out", default=results_folder())
    parser.add_argument("--from", dest="folder", default=f"{ROOT}/build/gpu", help="names the commit, where it is there")
    arguments = parser.parse_args()
    begin = time.monotonic()
    machine = ceilings(arguments.small, 90)
    print(json.dumps(machine), flush=True)
    attention = faster_attention(machine)
    date = datetime.date.today().isoformat()
    path = f"{arguments.out}/{date}-{slug(machine.get('gpu', 'unknown'))}-forms"
    with tempfile.TemporaryDirectory() as folder:
        variants = [variant_of(key, attention, arguments.small, folder) for key in forms(arguments.small)]

        def note():
            entries = [entry_of(v) for v in variants]
            result = {"date": date, "commit": commit_of(arguments.folder), "machine": machine, "attention": attention, "forms": entries,
                      "winners": winners(entries), "small": arguments.small}  # fmt: skip
            write(path + ".json", result)
            with open(path + ".md", "w", encoding="utf-8") as file:
                file.write(table(result))
            return result

        try:
            start_all(variants, folder, 3, begin + arguments.budget - RESERVE, note,
                      lambda variant, others: judge(variant, others, arguments.small))  # fmt: skip
            result = note()
        finally:
            for variant in variants:
                variant.close()
        print(table(result) + f"written: {path}.json, {path}.md after {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
