"""The goals of matmuls of our own that bench/gpu/sites.py --fused decides, from what it measured: entries as in site_goals.py."""
from goals import row
from site_goals import FUSED, ratio

# (site, way): what is multiplied.
MATMULS = {("gate", "forward"): "gate and up", ("rotary", "forward"): "queries, keys, values", ("gate", "backward"): "gradient of down"}


def times(goal, what, value, most):
    """`most`: what is asked, or None."""
    return row(goal, what, f"at most {most}x" if most else "no goal", value, (lambda v: v <= most) if most else None, "{:.2f}x")


def fused_goals(entries):
    """Rows of the table of goals; those of a site that was not measured say so."""
    by_name = {e["name"]: e for e in entries}
    found = lambda site, way, a, b: ratio(by_name.get(site, {}), f"{a} {way}", f"{b} {way}")
    speeds = {matmul: found(site, way, "library", "product") for (site, way), matmul in MATMULS.items()}
    rows = [row("G22", f"our matmul alone, {matmul}: its speed by cuBLASLt's", "at least 95 %", None if speed is None else 100 * speed,
                lambda v: v >= 95, "{:.0f} %") for matmul, speed in speeds.items()]  # fmt: skip
    for site, way in MATMULS:
        name = f"{FUSED[site]} in a matmul, {way}"
        if way == "forward":
            rows.append(times("G23", f"{name}, against our matmul alone", found(site, way, "fused", "product"), 1.05))
        rows.append(times("G24", f"{name}, against cuBLASLt and a kernel apart", found(site, way, "fused", "apart"),
                          0.62 if way == "backward" else None))  # fmt: skip
    return rows
