"""Long checks, each of many numbered cases: see docs/campaigns.md.

    run.py [--build FOLDER] [--first N] [--count N] [--short] [--ledger FOLDER] [--junit FILE] [NAME ...]
"""
import argparse
import os
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections import Counter

sys.dont_write_bytecode = True
import failures
import kernels
import kills
import points
import power_cut
import specs
import strips
from attempts import Tools

CAMPAIGNS = {
    "power-cut": (power_cut, power_cut.PowerCut),
    "failures": (failures, failures.Failures),
    "points": (points, points.Points),
    "kills": (kills, kills.Kills),
    "specs": (specs, specs.Specs),
    "strips": (strips, strips.Strips),
    "kernels": (kernels, kernels.Kernels),
}


class Ledger:
    """A file that says which cases are done: `CASE passed` or `CASE failed` in a line, with what was counted."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder, name) if folder else None
        self.done = set()
        if self.path and os.path.exists(self.path):
            with open(self.path) as file:
                self.done = {int(line.split()[0]) for line in file if line.endswith("\n")}

    def add(self, number, counts, problems):
        if not self.path:
            return
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        told = " ".join(f"{what.replace(' ', '-')}={count}" for what, count in counts.items())
        with open(self.path, "a") as file:
            file.write(f"{number} {'failed' if problems else 'passed'} {told}\n")


def numbers_of(module, options):
    count = options.count or (module.SHORT if options.short else module.CASES)
    return range(options.first, options.first + count)


def write_junit(path, results):
    """The cases as CTest writes its own: (name, whether it passed)."""
    suite = ElementTree.Element("testsuite", name="campaigns", tests=str(len(results)))
    for name, passed in results:
        ElementTree.SubElement(suite, "testcase", name=name, status="run" if passed else "fail")
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def run_campaign(name, options, tools):
    """The cases, each by name with whether it passed."""
    module, make = CAMPAIGNS[name]
    ledger, total, started, results = Ledger(options.ledger, name), Counter(), time.monotonic(), []
    numbers = [number for number in numbers_of(module, options) if number not in ledger.done]
    campaign = make(tools) if numbers else None
    for number in numbers:
        counts, problems = campaign.check(number)
        ledger.add(number, counts, problems)
        total.update(counts)
        results.append((f"{name} {number}", not problems))
        if problems:
            short = " --short" if options.short else ""
            print(f"FAILED {name} {number}: ./setup test --campaign {name} --first {number} --count 1{short}")
            print("\n".join(problems[:8]), flush=True)
    told = ", ".join(f"{count} {what}" for what, count in total.items())
    print(f"{name}: cases {options.first} to {options.first + len(numbers_of(module, options)) - 1}, "
          f"{len(ledger.done & set(numbers_of(module, options)))} of them done before; {told}; "
          f"{time.monotonic() - started:.0f} s", flush=True)  # fmt: skip
    return results


def main():
    parser = argparse.ArgumentParser(prog="./setup test --campaign", description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(CAMPAIGNS)}; all where none is named")
    parser.add_argument("--build", default=os.path.join(os.path.dirname(__file__), "..", "..", "build"))
    parser.add_argument("--first", type=int, default=0, help="the first case")
    parser.add_argument("--count", type=int, default=0, help="how many cases")
    parser.add_argument("--short", action="store_true", help="fewer cases of fewer programs: what the test suite has")
    parser.add_argument("--ledger", help="a folder where it is written down which cases are done; these are not done again")
    parser.add_argument("--junit", help="a file for the result of each case")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in CAMPAIGNS]:
        parser.error(f"a campaign is one of {', '.join(CAMPAIGNS)}, but got {unknown[0]}")
    results, tools = [], Tools.of(options.build, options.short)
    try:
        for name in options.names or CAMPAIGNS:
            results += run_campaign(name, options, tools)
    finally:
        tools.end()
    if options.junit:
        write_junit(options.junit, results)
    passed = sum(good for _, good in results)
    print(f"{passed} passed, {len(results) - passed} failed")
    return passed != len(results)


if __name__ == "__main__":
    sys.exit(main())
