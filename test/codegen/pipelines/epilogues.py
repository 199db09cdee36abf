"""For every model, on the CPU and on tensor cores, the matmuls with an epilogue are those that the graph of its kernels lets
expect: the list is read off the fused IR with kernels apart. What else reads the rows of a matmul is told with its reason.

REQUIRES: compiler
RUN: %python3 %s %models
"""
import pathlib
import re
import subprocess
import sys
import typing

class Target(typing.NamedTuple):
    """How a target is compiled for, the columns of a strip, what rows of operands are a multiple of, the pass that chooses, and
    kernels of models that stay apart nevertheless."""

    options: list
    widest: int
    unit: int
    choose: str
    apart: dict


def both(*numbers):
    return {f"layers.{part}.rowwise{number}" for part in ("forward", "evaluate") for number in numbers}


# Gates are computed from the narrow result of another matmul, or read with the mixer's result: one kernel reads columns of wider
# rows, another depends on its matmul a second time. Keys of latent attention are made of few columns, too few for strips on the CPU,
# and stored by head.
TARGETS = [
    Target(["--set", "dim=256"], 128, 1, "--kern-choose-epilogues",
           {"gla": both(2, 3), "latent": both(2) | {"layers.backward.rowwise5"}}),
    Target(["--set", "dim=512", "--target=cuda", "--dtype=bf16"], 256, 8, "--kern-choose-cuda-epilogues=where-possible",
           {"gla": both(2, 3), "gdn": both(3), "latent": both(2) | {f"layers.backward.rowwise{number}" for number in (2, 5)}}),
]  # fmt: skip
MATMUL = re.compile(r"^ +(%\w+) = seq\.linear(?:_input_grad)? (.*) : tensor<\d+x\d+x(\d+)x(\w+)>, tensor<\d+x(\d+)x\w+>.* -> "
                    r"tensor<\d+x\d+x\d+x(\w+)>$")  # fmt: skip
KERNEL = re.compile(r'^ +%\S+ = kern\.rowwise kernel "([^"]+)"\((.*?)\) maps \[(.*?)\]')
REDUCED = re.compile(r"= seq\.reduce .* : tensor<(?:[0-9]+x)*([0-9]+)xf32>")
FOLDED = re.compile(r"= seq\.column_sum .* : tensor<(?:\d+x)+(\d+)xf32> -> tensor<\1xf32>")  # adds up heads
REMARK = re.compile(r'remark: \[(Passed|Missed)\] (?:FusedEpilogue|NotInEpilogue).*Remark=".*: ([^"]+)"')


def said(command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}: {result.stderr}")
    return result


def can_have_epilogue(match, unit):
    _, operands, depth, type_read, width, type_written = match.groups()
    return " add " not in operands and type_read == type_written and int(depth) % unit == int(width) % unit == 0


def graph(text, target):
    """Kernels that read the rows of a matmul, once for each, and those of them that cannot be its epilogue."""
    readers, apart, matmuls, kernel = [], set(), {}, None
    for line in text.splitlines():
        if "func.func" in line:
            matmuls = {}
        if match := MATMUL.match(line):
            matmuls[match[1]] = can_have_epilogue(match, target.unit)
        if match := KERNEL.match(line):
            kernel = match[1]
            read = [operand for operand, how in zip(match[2].split(", "), match[3].split(", ")) if operand in matmuls and how == "row"]
            readers += [kernel] * len(read)
            if not any(matmuls[operand] for operand in read):
                apart.add(kernel)
        if (match := REDUCED.search(line)) and int(match[1]) > target.widest:
            apart.add(kernel)
        if "seq.loss" in line or FOLDED.search(line):
            apart.add(kernel)
    return readers, apart


def check(spec, target):
    fused = said(["stretto-compile", spec, "--vocab", "200", "--batch", "2", "--length", "128", *target.options, "--fuse=rows",
                  "--emit=fused"]).stdout  # fmt: skip
    remarks = said(["stretto-opt", target.choose, "-remarks-filter=fusion", "-remark-format=emitRemark", "-o", "/dev/null"],
                   fused).stderr  # fmt: skip
    found = REMARK.findall(remarks)
    readers, apart = graph(fused, target)
    expected = set(readers) - apart - target.apart.get(spec.stem, set())
    chosen = {kernel for how, kernel in found if how == "Passed"}
    print(f"{spec.name} {target.options[-1]}: {len(chosen)} of {len(readers)}: {', '.join(sorted(chosen))}")
    if chosen != expected or not chosen:
        sys.exit(f"failed: {spec.name}: epilogues must be {sorted(expected)}, but are {sorted(chosen)}")
    if sorted(kernel for _, kernel in found) != sorted(readers):
        sys.exit(f"failed: {spec.name}: of {readers} each must have a remark, but got {found}")


for spec in sorted(pathlib.Path(sys.argv[1]).glob("*.stretto")):
    for target in TARGETS:
        check(spec, target)
