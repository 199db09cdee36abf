"""Linear mixers in spans, in emulated CUDA programs: losses and weights after 3 steps as on the CPU, of decays for each
channel, for each head, and the delta rule; one sequence that no chunk divides, also with masked documents.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import os
import re
import sys

from programs_cuda import EMULATE, ROOT, TASK, compare, empty, expect, program, run, train

folder, STEPS = empty(sys.argv[1]), 3
SMALL = ["--batch", 1, "--length", 1300, "--set", "dim=32", "--set", "layers=1", "--set", "heads=2"]
SIZES = {"gla": ["--set", "key_width=32"], "gdn": ["--set", "key_width=32"], "mamba2": ["--set", "state=16"]}


def check(model, name, *more):
    spec = os.path.join(ROOT, "models", f"{model}.stretto")
    options = [*TASK, *SMALL, *SIZES[model], "--dtype", "f64", *more]
    decisions = run("stretto", "explain", spec, *options, *EMULATE)
    found = re.findall(r"spans +gradients .* spans of \d+ chunks side by side", decisions)
    expect(len(found) == 2, f"{name}: not forward and backward have spans:\n{decisions}")
    for target, emulate in (("cpu", []), ("cuda", EMULATE)):
        train(program(spec, *options, *emulate), f"{folder}/{name}-{target}", STEPS)
    compare(name, f"{folder}/{name}-cuda", f"{folder}/{name}-cpu", STEPS, loss=1e-12, weight=1e-11)


for each in SIZES:
    check(each, each)
check("gdn", "gdn-documents", "--mask-documents")
