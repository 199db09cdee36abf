"""Linear mixers alone, estimated: what estimate.py says of their kernels, for the goals that sites.py --mixers measures."""
from launches import site_launches

GOALS = {"gdn": "G10", "gla": "G11", "ssd": "G12"}  # all others: G14


def estimate_mixer(name, made, model, code, shim, estimate_kernel, gap):
    """The kernels of a layer, by way, and their seconds; `gap` lies behind each."""
    mixer = {"name": name, "settings": made.settings | vars(made.shape), "kernels": {}, "seconds": {}}
    for way, found in site_launches(model, shim, made.settings["site"]).items():
        layer = [launch.kernel for launch in found[: len(found) // made.settings["layers"]]]
        mixer["kernels"][way] = [{"name": kernel.name.decode(), "blocks": kernel.grid[0] * kernel.grid[1], "block": kernel.block,
                                  "flops": kernel.flops, "bytes": kernel.bytes_moved, "registers": kernel.registers,
                                  "spill_bytes": kernel.spill_bytes} | estimate_kernel(kernel, code[kernel.symbol.decode()])
                                 for kernel in layer]  # fmt: skip
        mixer["seconds"][way] = sum(k["seconds"] + gap for k in mixer["kernels"][way])
    return mixer


def shape_of(settings):
    groups = settings["groups"] if settings["groups"] != settings["heads"] else "no"
    return (f"{settings['batch']} x {settings['length']}, {settings['heads']} heads of {settings['keys']} x {settings['values']}, "
            f"groups: {groups}")  # fmt: skip


def time_of(mixer, way):
    """Microseconds; where the instructions of a kernel were not counted it is only a bound."""
    is_sure = all(k["is_sure"] for k in mixer["kernels"][way])
    return f"{'' if is_sure else 'at least '}{1e6 * mixer['seconds'][way]:.0f}"


def lines_of(mixers):
    """A table of the goals, and one of all kernels."""
    lines = ["", "## Linear mixers: estimated", "", "Mixers alone (`mixers.stretto`), in a graph; `bench/gpu/sites.py --mixers` measures "
             "the same, against fla and PyTorch, of which there is no estimate.", "",
             "| goal | mixer | shape | us forward | us backward |", "|---|---|---|---|---|"]  # fmt: skip
    for m in mixers:
        times = " | ".join(time_of(m, way) for way in ("forward", "backward"))
        lines.append(f"| {GOALS.get(m['name'], 'G14')} | {m['settings']['site']} | {shape_of(m['settings'])} | {times} |")
    lines += ["", "\"Limit\": what the longest of a wave's three times is; \"busiest\": the unit of a multiprocessor that instructions keep "
              "busiest. A kernel that could not be followed to its end is marked: its instructions are not counted. A mixer that is missing is "
              "refused by the compiler.", "",
              "| mixer | kernel | us | limit | busiest | memory alone | issue alone | TFLOP/s | MB | registers | spilled | blocks x threads |",
              "|---|" + "---|" * 11]  # fmt: skip
    for m in mixers:
        for k in (k for kernels in m["kernels"].values() for k in kernels):
            mark = "" if k["is_sure"] else " (uncounted)"
            lines.append(f"| {m['name']} | {k['name']}{mark} | {1e6 * k['seconds']:.1f} | {k['limit']} | {k['unit']} | "
                         f"{1e6 * k['memory_seconds']:.1f} | {1e6 * k['issue_seconds']:.1f} | {k['flops'] / k['seconds'] / 1e12:.0f} | "
                         f"{k['bytes'] / 1e6:.1f} | {k['registers']} | {k['spill_bytes']} | {k['blocks']} x {k['block']} |")
    return lines
