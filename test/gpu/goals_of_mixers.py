"""The goals of linear mixers from invented times: what is divided by what, which form counts, and what is missing.

RUN: %python3 %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
from mixer_goals import mixer_goals


def entry(name, times):
    """Seconds by side, of rounds that are slow and quick as a whole."""
    return {"name": name, "samples": {side: [r * s for r in (1.0, 1.5, 0.9)] for side, s in times.items()}}


def value(goals, goal, *words):
    found = [g for g in goals if g["name"] == goal and all(word in g["what"] for word in words)]
    if len(found) != 1:
        sys.exit(f"{len(found)} rows of {goal} have {words}")
    return found[0]["value"], found[0]["met"]


def check(what, found, expected):
    if found[1] != expected[1] or (found[0] is None) != (expected[0] is None) or abs((found[0] or 0) - (expected[0] or 0)) > 1e-9:
        sys.exit(f"{what}: {found}, not {expected}")


goals = mixer_goals([
    entry("gdn", {"mixer forward": 10, "mixer backward": 30, "mixer both": 40, "fla eager forward": 26, "fla eager both": 80,
                  "chunks compiled forward": 90, "chunks eager forward": 200, "chunks compiled both": 300}),
    entry("ssd", {"mixer both": 50, "fla eager both": 60, "mamba-ssm eager both": 120}),
    entry("gla-short", {"mixer both": 2, "fla eager both": 6, "fla eager-launched both": 11, "chunks compiled-launched both": 30,
                        "chunks eager-launched both": 40})])  # fmt: skip
check("fla forward", value(goals, "G10", "forward", "fla"), (2.6, True))
check("its backward is both without forward", value(goals, "G10", "backward", "fla"), (54 / 30, False))
check("the faster form", value(goals, "G10", " forward", "chunks"), (9, None))
check("a package that was not measured", value(goals, "G11", "fla"), (None, None))
check("two packages", value(goals, "G12", "mamba-ssm"), (2.4, True))
check("the other", value(goals, "G12", "fla"), (1.2, False))
check("theirs as they are launched", value(goals, "G14", "GLA", "theirs not", "fla"), (5.5, True))
check("theirs in a graph", value(goals, "G14", "GLA", "as theirs", "fla"), (3, None))
check("the faster of what is launched", value(goals, "G14", "GLA", "chunks"), (15, None))
