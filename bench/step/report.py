"""Tables of what was measured, as text and as files."""
import datetime
import json
import os
import re
import shutil
import statistics
import subprocess

SHARED = 1.5  # two threads together do less than this many times the work of one: the round is told apart

GROUPS = {"matmuls": ["matmuls"], "attention": ["attention"], "mixer": ["library"], "optimizer": ["optimizer"], "rowwise": ["rowwise"],
          "loss": ["loss"], "rest": ["embedding", "rest", "data"], "unattributed": ["unattributed"]}


def median(values):
    return statistics.median(values) if values else float("nan")


def ratios(samples, base):
    return [a / b for a, b in zip(samples, base)]


def best_without_canon(variants):
    """The fastest PyTorch variant without Canon, by the median over rounds."""
    plain = [v for v in variants if v.canon == "none" and not v.ours]
    return min(plain, key=lambda v: median(v.samples)) if plain else None


def split_of(variant):
    """Shares of the groups of a step: medians over the rounds."""
    shares = {}
    for name, parts in GROUPS.items():
        shares[name] = median([sum(p["groups"].get(part, 0) for part in parts) / p["seconds"]
                               for p in variant.profiles])
    return shares


def shape_result(shape, variants, checks):
    base = best_without_canon(variants)
    result = {"shape": shape, "checks": checks, "base": base.name if base else None, "variants": []}
    for v in variants:
        entry = {"name": v.name, "canon": v.canon, "samples": v.samples, "milliseconds": 1e3 * median(v.samples)} | v.facts
        if base:
            entry["to_base"] = median(ratios(v.samples, base.samples))
        if v.ours:
            entry["split"] = split_of(v)
            entry["kernels"] = v.profiles[-1]["kernels"]
        result["variants"].append(entry)
    ours = {v.canon: v for v in variants if v.ours}
    before, last = list(ours)[-2:]
    result["canon_cost"] = median(ratios(ours[last].samples, ours[before].samples)) - 1
    theirs = [v for v in variants if v.canon == last and not v.ours]
    if theirs:
        best = min(theirs, key=lambda v: median(v.samples))
        result["to_best_with_canon"] = [best.name, median(ratios(ours[last].samples, best.samples))]
    return result


def megabytes(count):
    return f"{count / 1e6:.1f}"


def shape_text(result):
    lines = [f"## shape {result['shape']}", "",
             f"Ratios to {result['base']}; saved: bytes kept for the backward; peak: all tensors at their highest.", "",
             "| step | ms | ratio | compile s | saved MB | peak MB |", "|---|---|---|---|---|---|"]
    for v in sorted(result["variants"], key=lambda v: v["milliseconds"]):
        lines.append(f"| {v['name']} | {v['milliseconds']:.1f} | {v.get('to_base', float('nan')):.2f} | "
                     f"{v['compile_seconds']:.1f} | {megabytes(v['saved'])} | {megabytes(v['measured'])} |")
    lines.append("")
    lines.append(f"Canon costs us {100 * result['canon_cost']:+.1f} %.")
    if "to_best_with_canon" in result:
        name, ratio = result["to_best_with_canon"]
        lines.append(f"With Canon we take {ratio:.2f} of the time of {name}.")
    lines += ["", "| our step | " + " | ".join(GROUPS) + " |", "|---" * (len(GROUPS) + 1) + "|"]
    for v in result["variants"]:
        if "split" in v:
            lines.append(f"| {v['name']} | " + " | ".join(f"{100 * share:.1f} %" for share in v["split"].values()) + " |")
    quotients = [c["two"] / c["one"] for c in result["checks"]]
    shared = sum(q < SHARED for q in quotients)
    lines += ["", f"Multiply-adds, GF/s: one thread {median([c['one'] for c in result['checks']]):.0f}, two threads "
                  f"{median([c['two'] for c in result['checks']]):.0f}; in {shared} of {len(quotients)} rounds two threads did "
                  f"less than {SHARED} times the work of one.", ""]
    return "\n".join(lines)


def commit():
    """What is checked out, with a plus where it was changed since."""
    if not shutil.which("git"):
        return "unknown"
    here = os.path.dirname(os.path.abspath(__file__))
    git = lambda *words: subprocess.run(["git", "-C", here, *words], capture_output=True, text=True).stdout.strip()
    return (git("rev-parse", "--short", "HEAD") or "unknown") + ("+" if git("status", "--porcelain", "-uno") else "")


def save(folder, name, command, settings, measured, text):
    """Writes <date>-<name>.json, settings and what was measured, and .md, the tables, into the folder."""
    os.makedirs(folder, exist_ok=True)
    date = datetime.date.today().isoformat()
    path = os.path.join(folder, f"{date}-" + re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-"))
    with open(path + ".json", "w") as file:
        json.dump({"date": date, "commit": commit(), "settings": settings} | measured, file, indent=1)
    with open(path + ".md", "w") as file:
        told = ", ".join(f"{name} {value}" for name, value in settings.items())
        file.write(f"# {command}, {date}, {measured['cpu']}, commit {commit()}\n\n{told}\n\n{text}")
    print(f"written: {path}.json, {path}.md")


def write(folder, cpu, arguments, results):
    """Files of what run.py measured, with a model other than llama named by it."""
    settings = {name: getattr(arguments, name) for name in ("model", "rounds", "threads", "modes", "forms", "clock")}
    name = cpu if arguments.model == "llama" else f"{cpu}-{arguments.model}"
    save(folder, name, "bench/step/run.py", settings, {"cpu": cpu, "shapes": results}, "\n".join(map(shape_text, results)))
