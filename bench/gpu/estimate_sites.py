"""Single sites of Canon, estimated: what estimate.py says of their kernels, for the goals that sites.py measures."""
from launches import site_launches
from site_goals import FUSED, must_move

# Operands as wide as x, or gate, that a chain of library calls moves, forward and backward, where all that surrounds the convolution is
# fused as well as can be: the convolution by itself (2 forward, 3 backward for each operand) and one kernel around it.
CHAINS = {"norm": (7, 7), "rotary": (15, 24), "gate": (9, 19)}


def estimate_site(name, made, model, code, shim, kernel_seconds, gap):
    """Seconds of a layer and bytes its kernels move, by way. kernel_seconds(kernel, code): of a launch; `gap` lies behind each."""
    site = {"name": name, "settings": made.settings | vars(made.shape), "seconds": {}, "bytes": {}}
    for way, found in site_launches(model, shim, made.settings["site"]).items():
        kernels = [launch.kernel for launch in found]
        layers = made.settings["layers"]
        site["seconds"][way] = sum(kernel_seconds(k, code[k.symbol.decode()]) + gap for k in kernels) / layers
        site["bytes"][way] = sum(k.bytes_moved for k in kernels) / layers
    return site


def chain_seconds(site, copy):
    """Of a chain whose every kernel is as fast as a copy; forward and backward."""
    settings = site["settings"]
    width = 8 * settings["dim"] // 3 // 8 * 8 if settings["site"] == "gate" else settings["dim"]
    return sum(CHAINS[settings["site"]]) * 2 * settings["batch"] * settings["length"] * width / copy


def both(site):
    return site["seconds"]["forward"] + site["seconds"]["backward"]


def lines_of(sites, copy):
    """A table for each of G6, G8 and G9."""
    by_name = {s["name"]: s for s in sites}
    lines = ["", "## Single sites: estimated", "", "Canon by itself and where it is fused (`sites.stretto`), 32k tokens; "
             "`bench/gpu/sites.py` measures the same. \"Needed\" is what the convolution must move, \"moved\" what the kernels move. G9 has "
             "no estimate of the chain of library calls but its bytes: the convolution, one fused kernel around it, each as fast as a copy.",
             "", "| goal | site | way | us | MB needed | MB moved | of a copy |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    for s in sites:
        if s["settings"]["site"] == "conv":
            for way, seconds in s["seconds"].items():
                needed = must_move({"settings": s["settings"] | {"width": s["settings"]["dim"]}}, way)
                lines.append(f"| G6 | {s['name']} | {way} | {1e6 * seconds:.1f} | {needed / 1e6:.1f} | {s['bytes'][way] / 1e6:.1f} | "
                             f"{100 * needed / copy / seconds:.0f} % |")  # fmt: skip
    lines += ["", "| goal | site | way | us with Canon | us without | Canon costs |", "|---|---|---|---|---|---|"]
    for site, name in FUSED.items():
        canon, plain = by_name[f"{site}-canon"]["seconds"], by_name[f"{site}-plain"]["seconds"]
        lines += [f"| G8 | {name} | {way} | {1e6 * canon[way]:.1f} | {1e6 * plain[way]:.1f} | {100 * (canon[way] / plain[way] - 1):+.1f} % |"
                  for way in canon]  # fmt: skip
    lines += ["", "| goal | site | us of ours, forward and backward | us of the chain at least | at least |", "|---|---|---|---|---|"]
    for site, name in FUSED.items():
        canon = by_name[f"{site}-canon"]
        chain = chain_seconds(canon, copy)
        lines.append(f"| G9 | {name} | {1e6 * both(canon):.1f} | {1e6 * chain:.1f} | {chain / both(canon):.2f}x |")
    return lines
