#!/usr/bin/env python3
"""Lano: our membership test and exact distribution against dynamic programming in Python; speeds of generator, membership
test and distribution. Time is that of the processor; everything takes turns, sentence by sentence; ratios are medians over
them. All answers are compared.

    ninja -C build stretto-data stretto_bench_lano && bench/tasks/lano.py
"""
import argparse
import datetime
import json
import re
import statistics
import subprocess
import time
from pathlib import Path

import lano_charts

ROOT = Path(__file__).resolve().parents[2]


class Ours:
    def __init__(self, build, name):
        self.process = subprocess.Popen([build / "bin/stretto_bench_lano", name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def measure(self, tokens):
        """(seconds, answer) of both; the distribution's answer is a list of rows."""
        self.process.stdin.write(" ".join(tokens) + "\n")
        self.process.stdin.flush()
        test, distribution = self.process.stdout.readline().split(";")
        seconds, inside = test.split()
        seconds_of_rows, width, *numbers = map(float, distribution.split())
        rows = [numbers[at:at + int(width)] for at in range(0, len(numbers), int(width))]
        return {"membership": (float(seconds), inside == "1"), "distribution": (seconds_of_rows, rows)}


def sentences(build, name, count, seed):
    """Whole sentences of rows, and every second one with a token replaced."""
    text = subprocess.run([build / "bin/stretto-data", "lano", "--preset", name, "--json", "--samples", str(count), "--seed",
                           str(seed)], capture_output=True, text=True, check=True).stdout
    found = []
    for line in text.splitlines():
        sentence = re.findall(r" 0((?: [1-9])+)(?= 0)", " " + " ".join(map(str, json.loads(line)["tokens"])))[0].split()
        if len(found) % 2:
            at = len(sentence) // 2
            sentence[at] = str(int(sentence[at]) % 3 + 1)
        found.append(sentence)
    return found


def timed(call, *args):
    start = time.process_time()
    result = call(*args)
    return time.process_time() - start, result


PYTHON = {"membership": {"plain": lano_charts.PlainMembership, "pruned": lano_charts.PrunedMembership},
          "distribution": {"plain": lano_charts.PlainDistribution, "pruned": lano_charts.PrunedDistribution}}


def agree(what, left, right):
    if what == "membership":
        return left == right
    return len(left) == len(right) and all(abs(p - q) <= 1e-9 for one, other in zip(left, right)
                                           for p, q in zip(one, other, strict=True))


def take_turns(ours, what, others, tokens):
    """Seconds of each on one string: ours before, between and behind the others, of which the median counts."""
    first, answer = ours.measure(tokens)[what]
    own, seconds = [first], {}
    for name, call in others.items():
        seconds[name], result = timed(call, tokens)
        assert agree(what, result, answer), f"{what}: ours and {name} Python disagree on {' '.join(tokens)}"
        own.append(ours.measure(tokens)[what][0])
    return seconds | {"ours": statistics.median(own)}


def compare(build, name, what, strings):
    rules, ours = lano_charts.read_grammar(name), Ours(build, name)
    others = {way: make(rules) for way, make in PYTHON[what].items()}
    samples = []
    for tokens in strings:
        inside = ours.measure(tokens)["membership"][1]
        samples.append({"tokens": len(tokens), "sentence": inside} | take_turns(ours, what, others, tokens))
    ratios = {f"{way}_to_ours": statistics.median(s[way] / s["ours"] for s in samples) for way in others}
    print(f"{name}, {what}:", json.dumps(ratios), flush=True)
    return {"samples": samples} | ratios


def speeds(build, name):
    """Million tokens per second: medians over rounds for the generator, over sentences for the rest."""
    generated = []
    for _ in range(5):
        text = subprocess.run([build / "bin/stretto-data", "lano", "--preset", name, "--speed"], capture_output=True,
                              text=True, check=True).stdout
        generated.append(float(re.search(r"([\d.]+) million", text)[1]))
    ours, tests, rows = Ours(build, name), [], []
    for tokens in sentences(build, name, 200, seed=2)[::2]:
        both = ours.measure(tokens)
        tests.append(1e-6 * len(tokens) / both["membership"][0])
        rows.append(1e-6 * len(tokens) / both["distribution"][0])
    return {"generator": statistics.median(generated), "membership": statistics.median(tests),
            "distribution": statistics.median(rows)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--count", type=int, default=6, help="strings of cfg3k on which the three are compared")
    parser.add_argument("--out", type=Path, help="default: bench/results/<date>-<cpu>-lano.json")
    options = parser.parse_args()
    build, strings = options.build, sentences(options.build, "cfg3k", options.count, seed=1)
    for what in PYTHON:
        compare(build, "small", what, sentences(build, "small", 50, seed=1))
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1].strip()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    result = {"date": datetime.date.today().isoformat(), "commit": commit, "cpu": cpu, "unit": "million tokens per second",
              "speed": {name: speeds(build, name) for name in ("cfg3f", "cfg3j", "cfg3k")},
              "comparison": {"cfg3k": {"membership": compare(build, "cfg3k", "membership", strings),
                                       "distribution": compare(build, "cfg3k", "distribution", strings[::2])}}}
    short = re.sub(r"[^a-z0-9]+", "-", cpu.lower()).strip("-")
    out = options.out or ROOT / "bench/results" / f"{result['date']}-{short}-lano.json"
    out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result["speed"], indent=1))


if __name__ == "__main__":
    main()
