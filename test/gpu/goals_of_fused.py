"""The goals of sites in matmuls from invented times: what is divided by what, and what is missing.

RUN: %python3 %s %root
"""
import sys

sys.path.insert(0, f"{sys.argv[1]}/bench/gpu")
from fused_goals import fused_goals


def entry(name, times, rounds=(1.0, 1.5, 0.9)):
    """Seconds by side, of rounds that are slow and quick as a whole."""
    return {"name": name, "samples": {side: [r * s for r in rounds] for side, s in times.items()}}


GATE = {"fused forward": 21, "product forward": 20, "library forward": 19.2, "apart forward": 28,
        "fused backward": 13, "product backward": 10, "library backward": 8, "apart backward": 20}  # fmt: skip
GOALS = {(g["name"], g["what"]): g for g in fused_goals([entry("gate", GATE), {"name": "rotary"}])}


def check(name, what, value, met):
    goal = GOALS.pop((name, what))
    if (goal["value"] is None) != (value is None) or value is not None and abs(goal["value"] - value) > 1e-9 * value or goal["met"] is not met:
        sys.exit(f"{what}: {goal['value']} ({goal['met']}), not {value} ({met})")


check("G22", "our matmul alone, gate and up: its speed by cuBLASLt's", 96, True)
check("G22", "our matmul alone, gradient of down: its speed by cuBLASLt's", 80, False)
check("G22", "our matmul alone, queries, keys, values: its speed by cuBLASLt's", None, None)
check("G23", "D and SwiGLU in a matmul, forward, against our matmul alone", 1.05, True)
check("G23", "B and rotary in a matmul, forward, against our matmul alone", None, None)
check("G24", "D and SwiGLU in a matmul, forward, against cuBLASLt and a kernel apart", 0.75, None)
check("G24", "D and SwiGLU in a matmul, backward, against cuBLASLt and a kernel apart", 0.65, False)
check("G24", "B and rotary in a matmul, forward, against cuBLASLt and a kernel apart", None, None)
if GOALS:
    sys.exit(f"goals that nobody expects: {sorted(GOALS)}")
