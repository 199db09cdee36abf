#!/usr/bin/env python3
"""Lano: our membership test against dynamic programming in Python; speeds of generator, membership test and
distribution. Time is that of the processor; everything takes turns, sentence by sentence; ratios are medians over them.

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

ROOT = Path(__file__).resolve().parents[2]


def read_grammar(name):
    """(rules of each symbol, bottom up, the root last). The built-in files write a symbol a line, the root first."""
    rules = {}
    for line in (ROOT / "tasks/lano/grammars" / f"{name}.grammar").read_text().splitlines():
        line = line.split("#")[0]
        if "->" in line:
            symbol, right = line.split("->")
            rules[symbol.strip()] = [tuple(rule.split()) for rule in right.split("|")]
    return rules


def binarised(rules):
    """{first child: [(second child, symbol)]} with a helper symbol for all but the first child of a longer rule."""
    pairs = {}
    for symbol, alternatives in rules.items():
        for rule in alternatives:
            left = symbol
            while len(rule) > 2:
                helper = " ".join(rule[1:])
                pairs.setdefault(rule[0], set()).add((helper, left))
                left, rule = helper, rule[1:]
            pairs.setdefault(rule[0], set()).add((rule[1], left))
    return {first: sorted(rest) for first, rest in pairs.items()}


class Plain:
    """The textbook: every span, shortest first, every split of it."""

    def __init__(self, rules):
        self.root, self.pairs = next(iter(rules)), binarised(rules)

    def accepts(self, tokens):
        n = len(tokens)
        cells = [[None] * (n + 1) for _ in range(n + 1)]
        for i, token in enumerate(tokens):
            cells[i][i + 1] = {token}
        for size in range(2, n + 1):
            for i in range(n - size + 1):
                row, j, found = cells[i], i + size, set()
                for split in range(i + 1, j):
                    if row[split] and cells[split][j]:
                        right = cells[split][j]
                        for first in row[split]:
                            for second, symbol in self.pairs.get(first, ()):
                                if second in right:
                                    found.add(symbol)
                row[j] = found
        return self.root in cells[0][n]


class Pruned:
    """With lists of where each symbol that starts at a place may end, layer by layer, as these grammars allow."""

    def __init__(self, rules):
        self.root, self.rules = next(iter(rules)), rules
        self.order = []
        self.visit(self.root)

    def visit(self, symbol):
        if symbol in self.rules and symbol not in self.order:
            for rule in self.rules[symbol]:
                for child in rule:
                    self.visit(child)
            self.order.append(symbol)

    def accepts(self, tokens):
        n = len(tokens)
        ends = {token: [[i + 1] if i < n and tokens[i] == token else [] for i in range(n + 1)] for token in set(tokens)}
        for symbol in self.order:
            table = []
            for i in range(n + 1):
                reached = set()
                for rule in self.rules[symbol]:
                    at = {i}
                    for child in rule:
                        lists = ends.get(child)
                        at = {end for place in at for end in lists[place]} if lists else set()
                    reached |= at
                table.append(sorted(reached))
            ends[symbol] = table
        return n in ends[self.root][0]


class Ours:
    def __init__(self, build, name):
        self.process = subprocess.Popen([build / "bin/stretto_bench_lano", name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def measure(self, tokens):
        """(seconds of the test, its answer, seconds of the distribution)"""
        self.process.stdin.write(" ".join(tokens) + "\n")
        self.process.stdin.flush()
        seconds, inside, rows, _ = self.process.stdout.readline().split()
        return float(seconds), inside == "1", float(rows)


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


def compare(build, name, count):
    """Seconds of the three on each string, one after another."""
    rules, ours = read_grammar(name), Ours(build, name)
    plain, pruned = Plain(rules), Pruned(rules)
    samples = []
    for tokens in sentences(build, name, count, seed=1):
        before, inside, _ = ours.measure(tokens)
        slow, first = timed(plain.accepts, tokens)
        middle, again, _ = ours.measure(tokens)
        less, second = timed(pruned.accepts, tokens)
        after, _, _ = ours.measure(tokens)
        assert inside == again == first == second, "the tests disagree"
        samples.append({"tokens": len(tokens), "sentence": inside, "plain": slow, "pruned": less,
                        "ours": statistics.median([before, middle, after])})
        print(name, samples[-1], flush=True)
    return {"samples": samples,
            "plain_to_ours": statistics.median(s["plain"] / s["ours"] for s in samples),
            "pruned_to_ours": statistics.median(s["pruned"] / s["ours"] for s in samples)}


def speeds(build, name):
    """Million tokens per second: medians over rounds for the generator, over sentences for the rest."""
    generated = []
    for _ in range(5):
        text = subprocess.run([build / "bin/stretto-data", "lano", "--preset", name, "--speed"], capture_output=True,
                              text=True, check=True).stdout
        generated.append(float(re.search(r"([\d.]+) million", text)[1]))
    ours, tests, rows = Ours(build, name), [], []
    for tokens in sentences(build, name, 200, seed=2)[::2]:
        seconds, _, distribution = ours.measure(tokens)
        tests.append(1e-6 * len(tokens) / seconds)
        rows.append(1e-6 * len(tokens) / distribution)
    return {"generator": statistics.median(generated), "membership": statistics.median(tests),
            "distribution": statistics.median(rows)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--count", type=int, default=6, help="strings on which the three are compared")
    parser.add_argument("--out", type=Path, help="default: bench/results/<date>-<cpu>-lano.json")
    options = parser.parse_args()
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1].strip()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    result = {"date": datetime.date.today().isoformat(), "commit": commit, "cpu": cpu, "unit": "million tokens per second",
              "speed": {name: speeds(options.build, name) for name in ("cfg3f", "cfg3j", "cfg3k")},
              "comparison": {"cfg3k": compare(options.build, "cfg3k", options.count)}}
    short = re.sub(r"[^a-z0-9]+", "-", cpu.lower()).strip("-")
    out = options.out or ROOT / "bench/results" / f"{result['date']}-{short}-lano.json"
    out.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result["speed"], indent=1))
    both = result["comparison"]["cfg3k"]
    print(f"plain Python takes {both['plain_to_ours']:.0f} times as long, pruned Python {both['pruned_to_ours']:.0f} times")


if __name__ == "__main__":
    main()
