"""Losses of large vocabularies, estimated: of those whose rows of logits are whole vectors, and of others, which the compiler pads."""
from programs import Made, Shape

VOCABULARIES = (10000, 10001, 50257, 50304)
SHAPE = (16, 2048)


def estimate_losses(count_kernels):
    """The kernel of each loss, which is in the scan over chunks of tokens. count_kernels(name, made): the kernels of a step, by name."""
    losses = []
    for vocabulary in VOCABULARIES:
        kernels = count_kernels(f"head-{vocabulary}", Made("head", Shape(*SHAPE, vocabulary), dtype="bf16", folder="bench/gpu"))
        losses += [{"vocabulary": vocabulary} | kernel for name, kernel in kernels.items() if name.startswith("head.")]
    return losses


def lines_of(losses):
    lines = ["", "## Losses: estimated", "", f"{SHAPE[0]} x {SHAPE[1]} tokens in chunks, logits in f32, their gradient in bf16; of one launch.",
             "", "| vocabulary | launches | us | limit | memory alone | issue alone | MB | registers | spilled | blocks x threads |",
             "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for k in losses:
        lines.append(f"| {k['vocabulary']} | {k['launches']} | {1e6 * k['seconds']:.0f} | {k['limit']} | {1e6 * k['memory_seconds']:.0f} | "
                     f"{1e6 * k['issue_seconds']:.0f} | {k['bytes'] / 1e6:.0f} | {k['registers']} | {k['spill_bytes']} | "
                     f"{k['blocks']} x {k['block']} |")  # fmt: skip
    return lines
