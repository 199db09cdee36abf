"""The goals of linear mixers that bench/gpu/sites.py --mixers decides, from what it measured: entries as in site_goals.py."""
from goals import row
from site_goals import against

SHAPES = {"gdn": "gated delta rule, 16 x 2048, 6 heads of 128 x 128", "gla": "GLA, 4 x 2048, 16 heads of 128 x 128",
          "ssd": "SSD, 2 x 16384, 16 heads of 128 x 256, one group"}  # fmt: skip
SHORT = {"gla": "GLA", "gdn": "gated delta rule", "ssd": "SSD"}
# (goal, site, way, package, at least); fla's kernel for SSD is simple_gla.
ASKED = [("G10", "gdn", "forward", "fla", 2.5), ("G10", "gdn", "backward", "fla", 2.0), ("G11", "gla", "both", "fla", 1.6),
         ("G12", "ssd", "both", "mamba-ssm", 2.2), ("G12", "ssd", "both", "fla", 1.5)]  # fmt: skip
WAYS = {"forward": "forward", "backward": "backward", "both": "forward and backward"}


def line(goal, what, entry, form, way, hows, least):
    """How often ours fits into a form; `least`: what is asked, or None."""
    return row(goal, f"{what}, {WAYS[way]}, against {form}", f"at least {least}x" if least else "no goal",
               against(entry, ("chunks",) if form == "PyTorch's chunks" else (form,), way, "mixer", hows),
               (lambda v: v >= least) if least else None, "{:.2f}x")  # fmt: skip


def mixer_goals(entries):
    """Rows of the table of goals; those of a mixer that was not measured say so."""
    by_name, captured = {e["name"]: e for e in entries}, ("eager", "compiled")
    rows = [line(goal, SHAPES[site], by_name.get(site, {}), package, way, captured, least)
            for goal, site, way, package, least in ASKED]  # fmt: skip
    goals = {site: goal for goal, site, *_ in ASKED}
    for site, what in SHAPES.items():
        rows += [line(goals[site], what, by_name.get(site, {}), "PyTorch's chunks", way, captured, None)
                 for way in ("forward", "backward")]  # fmt: skip
    for site, name in SHORT.items():
        entry, what = by_name.get(f"{site}-short", {}), f"{name}, 8 x 1024, 8 heads of 64 x 64, in a graph"
        launched = "not in a graph"
        rows.append(line("G14", f"{what}, theirs {launched}", entry, "fla", "both", ("eager-launched",), 5))
        rows.append(line("G14", f"{what} as theirs", entry, "fla", "both", captured, None))
        rows.append(line("G14", f"{what}, theirs {launched}", entry, "PyTorch's chunks", "both",
                         ("eager-launched", "compiled-launched"), None))  # fmt: skip
    return rows
