"""The goals of single sites from invented times: what is divided by what, which form counts, and what is missing.

RUN: %python3 %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
from site_goals import site_goals


def entry(name, width, times, rounds=(1.0, 1.5, 0.9)):
    """Seconds by side, of rounds that are slow and quick as a whole."""
    return {"name": name, "settings": {"batch": 2, "length": 10, "width": width}, "bytes": {"copy": 8000},
            "samples": {side: [r * s for r in rounds] for side, s in times.items()}}  # fmt: skip


def conv(width, forward):
    """The bytes are 80 * width forward and 120 * width backward; a copy moves 8 bytes a second."""
    return entry(f"conv-{width}", width, {
        "copy": 1000, "canon forward": forward, "canon backward": 20 * width, "canon both": forward + 20 * width,
        "conv eager forward": 60 * width, "conv eager both": 100 * width, "shift compiled forward": 40 * width,
        "shift compiled both": 150 * width, "fla eager forward": 30 * width, "fla eager both": 90 * width})  # fmt: skip


def found(entries):
    return {(g["name"], *(word for word in g["what"].replace(",", "").split() if word in
                          ("forward", "backward", "fla", "causal-conv1d", "PyTorch's", "A", "B", "D"))): g
            for g in site_goals(entries)}  # fmt: skip


def check(what, value, expected):
    if value is None or abs(value - expected) > 1e-9 * abs(expected):
        sys.exit(f"{what}: {value}, not {expected}")


norm = entry("norm", 4, {"canon forward": 11, "plain forward": 10, "canon backward": 20, "plain backward": 25, "canon both": 30,
                         "conv compiled both": 150, "shift eager both": 120, "causal-conv1d eager both": 105})  # fmt: skip
goals = found([conv(4, 42), conv(8, 80), norm])
check("the share of a copy is that of the slower width", goals["G6", "forward"]["value"], 100 * 80 * 4 / 42 / 8)
check("three operands backward", goals["G6", "backward"]["value"], 100 * 120 / 20 / 8)
check("PyTorch's best form forward", goals["G7", "forward", "PyTorch's"]["value"], 40 * 4 / 42)
check("its backward is both without forward, of the form that is best there", goals["G7", "backward", "PyTorch's"]["value"], 2)
check("a package's backward", goals["G7", "backward", "fla"]["value"], 3)
check("what Canon costs", goals["G8", "A", "forward"]["value"], 10)
check("what Canon saves", goals["G8", "A", "backward"]["value"], -20)
check("the best chain, packages included", goals["G9", "A", "forward", "backward"]["value"], 3.5)
if goals["G6", "backward"]["met"] or not goals["G8", "A", "backward"]["met"] or goals["G8", "A", "forward"]["met"]:
    sys.exit("a goal is met that is not, or the other way")
for missing in (("G7", "forward", "causal-conv1d"), ("G8", "B", "forward"), ("G9", "D", "forward", "backward")):
    if goals[missing]["value"] is not None or goals[missing]["measured"] != "not measured":
        sys.exit(f"{missing} was never measured")
failed = {"name": "conv-16", "settings": {"width": 16}}
if found([conv(4, 42), failed])["G6", "forward"]["value"] is not None:
    sys.exit("the least of all widths needs all of them")
