"""The demonstration on real programs, a few steps long: both runs are trained, scored, drawn and reported.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

from programs import empty, expect, read

folder = f"{empty(sys.argv[1])}/demo"
said = subprocess.run(["stretto-demo", "--only", "one-hop", "--seeds", "1", "--steps", "40", "-o", folder],
                      capture_output=True, text=True)
expect(said.returncode == 0, said.stderr)


def metrics(variant):
    return [json.loads(line) for line in read(f"{folder}/one-hop/{variant}-seed0/metrics.jsonl").decode().splitlines()]


def accuracy(variant):
    """In percent, at the last evaluation of a run."""
    right, asked = [line["scores"]["accuracy/k=1"] for line in metrics(variant) if "scores" in line][-1]
    return 100 * right / asked


report = read(f"{folder}/report.md").decode()
expect("depo1, preset one-hop, 40 steps" in report, f"the setting in {report}")
for variant, name in {"canon": "with Canon", "plain": "without Canon"}.items():
    row = re.search(rf"^\| {name} \| \d+ \| 1 \| 40 \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|", report, re.M)
    expect(row is not None, f"a row of '{name}' in {report}")
    expect(abs(float(row[1]) - accuracy(variant)) < 0.051, f"{name}: {row[1]} in the table, {accuracy(variant)} measured")
    expect(max(line["step"] for line in metrics(variant)) == 40, f"40 steps {name}")
paths = [element.get("d") for element in xml.parse(f"{folder}/one-hop.svg").iter() if element.tag.endswith("path")]
expect(len(paths) == 8, f"two curves in each of four plots, but got {len(paths)}")
expect(all(path.count("L") >= 19 for path in paths), "twenty points and more in each curve")
expect("<svg" in read(f"{folder}/report.html").decode(), "the plot in the page")
