"""Compares seq.mixer and seq.mixer_grad, as recurrences, with the tile programs that kern-expand-mixers makes of them, and
these with what it makes of spans side by side: on random numbers, in double precision.

    compare_walks.py [COUNT]     of random mixers besides those named here; 20
"""
import itertools
import pathlib
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "support"))
from interpret import Program  # noqa: E402
from mixers import Mixer  # noqa: E402

TOLERANCE = 1e-10  # of the recurrences
ORDER = 1e-12  # of another order of sums


def generic(module, *passes):
    command = ["stretto-opt", "--mlir-print-op-generic", *passes]
    done = subprocess.run(command, input=module, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}\n{module}")
    return done.stdout


def run(module, numbers):
    return Program(module, {}, rounds=False).call("main", *numbers)


def expand(mixer, span=0):
    """The tile programs; with spans of so many chunks, 0: of all chunks."""
    expanded = generic(mixer.module(), f"--kern-expand-mixers=processors=1 span={span}", "--canonicalize", "--cse")
    if "seq.mixer" in expanded:
        raise SystemExit(f"{mixer} was left as it is")
    return expanded


def compare(mixer, what, wanted, found, tolerance):
    for name, a, b in zip(["out", *mixer.operands()], wanted, found, strict=True):
        difference = abs(a - b).max() / (abs(a).max() or 1)
        if not difference < tolerance:
            raise SystemExit(f"{mixer}, {what}: {name} differs by {difference:.1e} of its largest entry")


def check(mixer):
    """Also in spans, the last of them shorter where the chunks do not divide."""
    numbers = mixer.numbers()
    wanted, whole = run(generic(mixer.module()), numbers), run(expand(mixer), numbers)
    compare(mixer, "one span", wanted, whole, TOLERANCE)
    for span in (1, 2):
        compare(mixer, f"spans of {span}", whole, run(expand(mixer, span), numbers), ORDER)


def named():
    """What there is of each kind, and each alone."""
    for by_channel, erases in itertools.product((False, True), (None, "beta", "erase")):
        for decay in (None, -0.01, -5.0, -80.0) if not by_channel else (-0.01, -5.0, -80.0):
            yield Mixer(erases, decay, by_channel)
        yield Mixer(erases, by_channel=by_channel, before=erases is not None, documents=True, write=erases != "beta")
        for before, documents in ((False, False), (erases is not None, True)):
            yield Mixer(erases, by_channel=by_channel, before=before, documents=documents, forgets=True)
    yield Mixer(decay=None, documents=True)
    yield Mixer("beta", shared=True)
    yield Mixer(shared=True, by_channel=True)
    yield Mixer(shared=True, forgets=True, key_heads=40)
    for time in (1, 64, 65, 192):
        yield Mixer("beta", time=time)
    yield Mixer("beta", sharers=3, segment=128, time=257)
    yield Mixer("erase", by_channel=True, keys=24, values=16, segment=256, time=193, before=True, documents=True)
    yield Mixer("beta", keys=128, values=384, key_heads=1, time=70)
    yield Mixer("erase", by_channel=True, keys=48, values=192, sharers=2, key_heads=1, time=70, element="bf16")
    yield Mixer(keys=1, values=1)
    yield Mixer("beta", keys=8, values=12, key_heads=1, sharers=32, time=70)
    yield Mixer("erase", keys=3, values=40, key_heads=2, sharers=16, time=70, by_channel=True, element="bf16")


def drawn(count):
    random = np.random.default_rng(1)
    pick = lambda *values: values[random.integers(len(values))]
    for _ in range(count):
        erases = pick(None, "beta", "erase")
        yield Mixer(erases, pick(None, -0.1, -3.0), before=erases is not None and pick(False, True), batch=pick(1, 2),
                    write=erases != "beta" and pick(False, True), documents=pick(False, True), shared=pick(False, True),
                    time=pick(3, 63, 100, 129), key_heads=pick(1, 2), sharers=pick(1, 2, 3), keys=pick(3, 8, 17, 32),
                    values=pick(2, 9, 16, 40), segment=pick(64, 128), element=pick("f32", "f64", "bf16"),
                    by_channel=pick(False, True), forgets=pick(False, True))  # fmt: skip


mixers = [*named(), *drawn(int(sys.argv[1]) if len(sys.argv) > 1 else 20)]
for each in mixers:
    if each.decay is None:
        each.by_channel = each.shared = False
    check(each)
print(f"{len(mixers)} mixers agree")
