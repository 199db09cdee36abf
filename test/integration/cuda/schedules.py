"""Schedules that are given change who computes what, not what is computed: losses and weights after 4 steps of a LlamaCanon of
two layers on both targets, with rows fewer and more than the taps, more rows and longer chunks than a sequence, groups of part
of a warp to 8 warps, narrow and wide vectors. Where sums keep their order, bits stay the same.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import sys

from programs_cuda import EMULATE, LLAMA, TWO_LAYERS, compare, digest, empty, expect, program, train

folder, STEPS = empty(sys.argv[1]), 4


def given(*schedules):
    return [word for text in schedules for word in ("--kernel-schedule", text)]


def trained(name, *options):
    path = program(LLAMA, *TWO_LAYERS, *options)
    train(path, f"{folder}/{name}", STEPS)
    return path


def same_sums(name, target, *schedules):
    """Programs with these schedules are different ones, and leave the same bits."""
    paths = [trained(f"{name}{i}", *target, *given(*texts)) for i, texts in enumerate(schedules)]
    expect(len(set(paths)) == len(paths), f"{name}: one program for several schedules")
    digests = {digest(f"{folder}/{name}{i}", STEPS) for i in range(len(schedules))}
    expect(len(digests) == 1, f"{name}: other bits")


trained("exact", "--dtype=f64")
for name, target, *schedules in (
    ("cpu-small", [], "*:rows=1,lanes=1,chunk=1"),
    ("cpu-large", [], "*:rows=32,lanes=32,chunk=128", "layers.*:rows=3,chunk=5"),
    ("cuda-small", EMULATE, "*:rows=1,lanes=1,chunk=1,threads=1"),
    ("cuda-large", EMULATE, "*:rows=5,lanes=4,chunk=128,threads=256,groups=2", "layers.*.rowwise0:threads=96,groups=1"),
    ("cuda-mixed", EMULATE, "layers.*:rows=2,threads=16,groups=6", "gradients.*:chunk=7"),
):
    trained(name, *target, *given(*schedules))
    compare(name, f"{folder}/{name}", f"{folder}/exact", STEPS, loss=1e-6, weight=1e-5)

same_sums("cpu-rows", [], ["*:rows=8,chunk=16"], ["*:rows=2,chunk=16"], ["*:chunk=16", "layers.*:rows=1"])
same_sums("cuda-rows", EMULATE, ["*:rows=1,chunk=8,threads=32"], ["*:rows=4,chunk=8,threads=32"],
          ["*:rows=2,chunk=8,threads=32", "layers.*:groups=2"])
