"""Linear mixers of few long sequences, estimated: as one span, and in the spans that the compiler chooses."""
import re
import sys

from compiled import compile_kernels, kernels_of
from setting import ROOT

sys.path.insert(0, f"{ROOT}/test/support")
from mixers import Mixer  # noqa: E402

WALK = re.compile(rb'kern\.walk kernel "([^"]+)"([^{]*)\{')


def mixer(time, heads, erases=None, **options):
    return Mixer(erases, keys=128, values=128, key_heads=heads, batch=1, time=time, segment=512, element="bf16", **options)


MIXERS = {"GLA, 12 heads": [mixer(time, 12, by_channel=True) for time in (8192, 32768)],
          "gated delta rule, 12 heads": [mixer(8192, 12, "beta")], "gated delta rule, 6 heads": [mixer(2048, 6, "beta")],
          "SSD, 12 heads": [mixer(8192, 12, write=True)]}  # fmt: skip


def mixer_kernels(build, module, processors):
    """The kernels of a mixer and its gradient, in order, with their code, and whether they are of the gradient."""
    text = compile_kernels(build, module, f"expand-mixers=processors={processors}")
    forward = {name.decode() for name, head in WALK.findall(text) if b" gradient " not in head}
    for kernel, code in kernels_of(text):
        yield kernel, code, kernel.name not in forward


def ways_of(build, module, processors, estimate_kernel, gap):
    """The kernels of forward and backward; `gap` lies behind each."""
    ways = {"forward": [], "backward": []}
    for kernel, code, is_gradient in mixer_kernels(build, module, processors):
        found = vars(kernel) | estimate_kernel(kernel, code)
        ways["backward" if is_gradient else "forward"].append(found | {"seconds": found["seconds"] + gap})
    return ways


def estimate_spans(build, estimate_kernel, gap):
    """For each mixer its kernels as one span, which is what a device of one multiprocessor gets, and in spans."""
    return [{"name": name, "tokens": made.time,
             "one span": ways_of(build, made.module(), 1, estimate_kernel, gap),
             "spans": ways_of(build, made.module(), 132, estimate_kernel, gap)}
            for name, all_made in MIXERS.items() for made in all_made]  # fmt: skip


def time_of(kernels):
    """Microseconds; where the instructions of a kernel were not counted it is only a bound."""
    return f"{'' if all(k['is_sure'] for k in kernels) else 'at least '}{1e6 * sum(k['seconds'] for k in kernels):.0f}"


def lines_of(mixers):
    lines = ["", "## Few long sequences: estimated", "", "Batch 1, heads of 128 x 128, bf16; microseconds of all kernels.", "",
             "| mixer | tokens | forward: one span | spans | backward: one span | spans | spilled bytes |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    for m in mixers:
        cells = [time_of(m[cut][way]) for way in ("forward", "backward") for cut in ("one span", "spans")]
        spilled = sum(k["spill_bytes"] for cut in ("one span", "spans") for way in m[cut].values() for k in way)
        lines.append(f"| {m['name']} | {m['tokens']} | {' | '.join(cells)} | {spilled} |")
    return lines
