"""How many tokens per second of one core every generator makes, and how many the task's scorer judges.

    .deps/venv/bin/python bench/tasks/generators.py [--build build] [--runs 7] [--output bench/results]

Runs `stretto-data TASK --preset P --speed` for the first preset of every task (the paper's easy size; others with --all),
all of them in turn, several times; a run counts processor time, so that a busy machine matters little. Writes
tasks-<date>-<cpu>.json (every run) and the table of medians into docs/tasks.md, between the lines that mark its place.
"""
import argparse
import datetime
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GOAL = 1.0  # million tokens per second and core
RATES = re.compile(r": ([0-9.]+) million tokens per second and core, scored ([0-9.]+) million")
PLACE = re.compile(r"(<!-- speeds: [^\n]*-->\n).*?(<!-- end of speeds -->\n)", re.S)


def tasks_and_presets(listing):
    """(task, presets) from what `stretto-data` prints without arguments."""
    found, presets = [], None
    for line in listing.splitlines():
        if header := re.match(r"(\S+): ", line):
            presets = []
            found.append((header[1], presets))
            inside = False
        elif line.startswith("  presets"):
            inside = True
        elif line.startswith("  parameters"):
            inside = False
        elif inside and (preset := re.match(r"    (\S+)", line)):
            presets.append(preset[1])
    return found


def token_file(program, folder):
    """A token file of 16 million tokens, for the task that reads one."""
    path = f"{folder}/copies.tokens"
    subprocess.run([program, "copy", "--export", path, "--samples", "16384"], check=True, stdout=subprocess.DEVNULL)
    return path


def measure(program, result, file):
    settings = ["--set", f"file={file}"] if result["task"] == "tokens" else []
    run = subprocess.run([program, result["task"], "--preset", result["preset"], *settings, "--speed"], check=True,
                         stdout=subprocess.PIPE, text=True)
    return [float(rate) for rate in RATES.search(run.stdout).groups()]


def cpu_name():
    model = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown")
    return "-".join(re.findall(r"[a-z0-9]+", model.lower())[:2]), model


def table(results):
    lines = ["| task | preset | million tokens/s (median) | least .. most | scored |", "|---|---|---|---|---|"]
    for result in results:
        runs = result["million_tokens_per_second"]
        lines.append(f"| {result['task']} | {result['preset']} | {statistics.median(runs):.1f} "
                     f"| {min(runs):.1f} .. {max(runs):.1f} | {statistics.median(result['million_tokens_scored_per_second']):.1f} |")
    return "\n".join(lines) + "\n"


def write_table(page, text):
    content = page.read_text(encoding="utf-8")
    changed, count = PLACE.subn(lambda match: match[1] + text + match[2], content)
    if count != 1:
        sys.exit(f"{page}: has no place for the table")
    page.write_text(changed, encoding="utf-8")


def self_test():
    listing = ("a: first\n  parameters (--set name=value)\n    n=3   1..9  size\n  presets (--preset name)\n"
               "    N=3   easy\n    small for a CPU\nb: second\n  parameters (--set name=value)\n  presets (--preset name)\n    x  y\n")
    assert tasks_and_presets(listing) == [("a", ["N=3", "small"]), ("b", ["x"])]
    assert RATES.search("a: 12.5 million tokens per second and core, scored 7.0 million (sequences of 3)").groups() == ("12.5", "7.0")
    assert "| a | N=3 | 2.0 | 1.0 .. 4.0 | 6.0 |" in table([{"task": "a", "preset": "N=3", "million_tokens_per_second": [4, 1, 2],
                                                            "million_tokens_scored_per_second": [5, 6, 7]}])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build", help="folder of the build")
    parser.add_argument("--runs", type=int, default=7, help="runs of about a second for each preset")
    parser.add_argument("--all", action="store_true", help="all presets, not the first of each task")
    parser.add_argument("--output", type=Path, default=ROOT / "bench/results", help="folder of the results")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    self_test()
    if options.self_test:
        return 0
    program = options.build / "bin/stretto-data"
    listing = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    results = [{"task": task, "preset": preset, "million_tokens_per_second": [], "million_tokens_scored_per_second": []}
               for task, presets in tasks_and_presets(listing) for preset in (presets if options.all else presets[:1])]
    with tempfile.TemporaryDirectory() as folder:
        file = token_file(program, folder)
        for _ in range(options.runs):
            for result in results:
                made, scored = measure(program, result, file)
                result["million_tokens_per_second"].append(made)
                result["million_tokens_scored_per_second"].append(scored)
    date, (short, model) = datetime.date.today().isoformat(), cpu_name()
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], check=True, capture_output=True,
                            text=True).stdout.strip()
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / f"tasks-{date}-{short}.json").write_text(
        json.dumps({"date": date, "commit": commit, "cpu": model, "runs": options.runs, "results": results}, indent=1) + "\n",
        encoding="utf-8")
    write_table(ROOT / "docs/tasks.md", table(results))
    print(table(results), end="")
    slow = [result["task"] for result in results if statistics.median(result["million_tokens_per_second"]) < GOAL]
    if slow:
        print(f"below {GOAL} million tokens per second: {', '.join(slow)}")
    return bool(slow)


if __name__ == "__main__":
    sys.exit(main())
