"""The goals that bench/gpu/sites.py decides, from what it measured of each site: entries with samples by side, in rounds."""
import statistics

from goals import row

FUSED = {"norm": "norm and A", "rotary": "B and rotary", "gate": "D and SwiGLU"}
PYTORCH, PACKAGES = ("conv", "shift"), ("fla", "causal-conv1d")
# Least ratios to a package's forward and backward.
ASKED = {"fla": (2.2, 3.5), "causal-conv1d": (1.15, 1.3)}


def median(values):
    return statistics.median(values) if values else None


def samples(entry, side):
    """Seconds by round; the backward of a chain is what both take more than forward."""
    found = entry.get("samples", {})
    form, _, way = side.rpartition(" ")
    if side in found or way != "backward" or f"{form} both" not in found:
        return found.get(side, [])
    return [both - forward for both, forward in zip(found[f"{form} both"], found[f"{form} forward"])]


def ratio(entry, a, b):
    """The median of the ratios within rounds, or None."""
    return median([x / y for x, y in zip(samples(entry, a), samples(entry, b))])


def against(entry, forms, way, ours="canon", hows=("eager", "compiled")):
    """How often ours fits into the fastest of some forms, or None."""
    sides = [f"{form} {how} {way}" for form in forms for how in hows]
    timed = [side for side in sides if samples(entry, side)]
    return ratio(entry, min(timed, key=lambda side: median(samples(entry, side))), f"{ours} {way}") if timed else None


def must_move(entry, way):
    """Bytes of a convolution: x and y, or x, dy and dx."""
    settings = entry["settings"]
    return {"forward": 2, "backward": 3}[way] * 2 * settings["batch"] * settings["length"] * settings["width"]


def share_of_copy(entry, way):
    """Bytes a second that the convolution must move, by those of a large copy, in percent."""
    times = ratio(entry, "copy", f"canon {way}")
    return 100 * times * must_move(entry, way) / entry["bytes"]["copy"] if times else None


def least(values):
    """None where one is missing."""
    values = list(values)
    return min(values) if values and None not in values else None


def conv_goals(convs):
    rows, note = [], "the least of all widths"
    for way, asked in (("forward", 92), ("backward", 88)):
        rows.append(row("G6", f"convolution alone, {way}, share of a copy, {note}", f"at least {asked} %",
                        least(share_of_copy(e, way) for e in convs), lambda v, asked=asked: v >= asked, "{:.0f} %"))  # fmt: skip
    for package, limits in ASKED.items():
        for way, asked in zip(("forward", "backward"), limits):
            rows.append(row("G7", f"convolution alone, {way}, against {package}, {note}", f"at least {asked}x",
                            least(against(e, (package,), way) for e in convs), lambda v, asked=asked: v >= asked, "{:.2f}x"))  # fmt: skip
    for way in ("forward", "backward"):
        rows.append(row("G7", f"convolution alone, {way}, against PyTorch's best form, {note}", "no goal",
                        least(against(e, PYTORCH, way) for e in convs), None, "{:.2f}x"))  # fmt: skip
    return rows


def fused_goals(entry, name):
    rows = []
    for way in ("forward", "backward"):
        cost = ratio(entry, f"canon {way}", f"plain {way}")
        rows.append(row("G8", f"what Canon costs in {name}, {way}", "at most +5 %", None if cost is None else 100 * (cost - 1),
                        lambda v: v <= 5, "{:+.1f} %"))  # fmt: skip
    rows.append(row("G9", f"{name} with Canon, forward and backward, against the best chain of library calls", "at least 3.5x",
                    against(entry, PYTORCH + PACKAGES, "both"), lambda v: v >= 3.5, "{:.2f}x"))  # fmt: skip
    return rows


def site_goals(entries):
    """Rows of the table of goals; those of a site that was not measured say so."""
    by_name = {e["name"]: e for e in entries}
    rows = conv_goals([e for e in entries if e["name"].startswith("conv-")])
    for site, name in FUSED.items():
        rows += fused_goals(by_name.get(site, {}), name)
    return rows
