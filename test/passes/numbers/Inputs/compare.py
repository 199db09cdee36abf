"""Compares two modules, printed in generic form, by running both in double precision on the same numbers.

    compare.py A.mlir B.mlir BATCHxTIMExVOCABULARY

All results of @gradients and @evaluate and the gradients of all parameters, by their names in checkpoints, so that A
and B may store them differently. Used to see that a pass changes how something is computed and not what.
"""
import pathlib
import sys
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from interpret import Program  # noqa: E402
from mlir_text import parse_module, shape_of  # noqa: E402

TOLERANCE = 1e-10


def random_parameters(text):
    """The same numbers for the same name, however it is stored."""
    parameters = {}
    for op in parse_module(text):
        if op.name != "seq.parameter":
            continue
        layers = Program.layers(op)
        shape, _ = shape_of(op.attributes["type"])
        inner = shape[1:] if layers is None else shape[2:]
        for part, rows in Program.parts(op):
            for name in [part] if layers is None else [part.replace("{}", str(i)) for i in layers]:
                numbers = np.random.default_rng(zlib.crc32(name.encode()))
                parameters[name] = 0.3 * numbers.normal(size=(rows, *inner))
    return parameters


def evaluate(path, entry, inputs):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    program = Program(text, random_parameters(text))
    results = program.call(entry, *inputs)
    return {f"result {i}": x for i, x in enumerate(results)} | program.gradients


def main(first, second, sizes):
    batch, time, vocabulary = map(int, sizes.split("x"))
    random = np.random.default_rng(1)
    tokens, targets = random.integers(0, vocabulary, (2, batch, time))
    inputs = {"gradients": [tokens, targets, random.random((batch, time))], "evaluate": [tokens, targets]}
    for entry, values in inputs.items():
        a, b = evaluate(first, entry, values), evaluate(second, entry, values)
        if a.keys() != b.keys():
            raise SystemExit(f"@{entry}: only one of the two has {sorted(a.keys() ^ b.keys())}")
        worst, name = max((abs(a[k] - b[k]).max() / (abs(a[k]).max() or 1), k) for k in a)
        if not worst < TOLERANCE:
            raise SystemExit(f"@{entry}: {name} differs by {worst:.1e} of its largest entry")
        print(f"@{entry}: {len(a)} values agree")


main(*sys.argv[1:])
