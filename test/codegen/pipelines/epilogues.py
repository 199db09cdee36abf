"""For every model the matmuls with an epilogue are those that the graph of its kernels lets expect: the list is read off
the fused IR with kernels apart. What else reads the rows of a matmul is told with its reason.

REQUIRES: compiler
RUN: %python3 %s %models
"""
import pathlib
import re
import subprocess
import sys

WIDEST = 128  # columns of a strip
# The gates of gla are computed from the narrow result of another matmul: one kernel reads columns of wider rows, the other
# depends on its matmul a second time.
APART = {"gla.stretto": {f"layers.{part}.rowwise{number}" for part in ("forward", "evaluate") for number in (2, 3)}}
MATMUL = re.compile(r"^ +(%\w+) = seq\.linear(?:_input_grad)? .* -> tensor<[0-9]+x[0-9]+x([0-9]+)xf32>$")
KERNEL = re.compile(r'^ +%\S+ = kern\.rowwise kernel "([^"]+)"\((.*?)\) maps \[(.*?)\]')
REDUCED = re.compile(r"= seq\.reduce .* : tensor<(?:[0-9]+x)*([0-9]+)xf32>")
FOLDED = re.compile(r"= seq\.column_sum .* : tensor<(?:\d+x)+(\d+)xf32> -> tensor<\1xf32>")  # adds up heads
REMARK = re.compile(r'remark: \[(Passed|Missed)\] (?:FusedEpilogue|NotInEpilogue).*Remark=".*: ([^"]+)"')


def said(command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}: {result.stderr}")
    return result


def graph(text):
    """Pairs of a matmul's result and a kernel that reads its rows, and kernels that bring whole rows together."""
    pairs, whole, matmuls, kernel = [], set(), {}, None
    for line in text.splitlines():
        if "func.func" in line:
            matmuls = {}
        if match := MATMUL.match(line):
            matmuls[match[1]] = int(match[2])
        if match := KERNEL.match(line):
            kernel = match[1]
            pairs += [(operand, kernel) for operand, how in zip(match[2].split(", "), match[3].split(", "))
                      if operand in matmuls and how == "row"]
        if (match := REDUCED.search(line)) and int(match[1]) > WIDEST:
            whole.add(kernel)
        if "seq.loss" in line or FOLDED.search(line):
            whole.add(kernel)
    return pairs, whole


for spec in sorted(pathlib.Path(sys.argv[1]).glob("*.stretto")):
    fused = said(["stretto-compile", spec, "--vocab", "200", "--batch", "2", "--length", "128", "--set", "dim=256",
                  "--fuse=rows", "--emit=fused"]).stdout
    remarks = said(["stretto-opt", "--kern-choose-epilogues", "-remarks-filter=fusion", "-remark-format=emitRemark", "-o",
                    "/dev/null"], fused).stderr
    found = REMARK.findall(remarks)
    pairs, whole = graph(fused)
    expected = {kernel for _, kernel in pairs} - whole - APART.get(spec.name, set())
    chosen = {kernel for how, kernel in found if how == "Passed"}
    print(f"{spec.name}: {len(chosen)} of {len(pairs)}: {', '.join(sorted(chosen))}")
    if chosen != expected or not chosen:
        sys.exit(f"failed: {spec.name}: epilogues must be {sorted(expected)}, but are {sorted(chosen)}")
    if sorted(kernel for _, kernel in found) != sorted(kernel for _, kernel in pairs):
        sys.exit(f"failed: {spec.name}: of {pairs} each must have a remark, but got {found}")
