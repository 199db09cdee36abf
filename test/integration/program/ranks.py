"""Any number of ranks gives the same bits: weights, moments and metrics of every model; so does a run that goes on with
another number of them.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import os
import re
import shutil
import sys

from programs import ROOT, TASK, contains, digest_of_ranks, empty, expect, program, read, run

folder = empty(sys.argv[1])
models = os.path.join(ROOT, "models")
SMALL = [*TASK, "--batch", 2, "--length", 64, "--bucket-bytes", "64K"] # several buckets of each model
WIDTH = {"hello": [], "llama": ["--set", "dim=64", "--set", "layers=2"],
         "hybrid": ["--set", "dim=64", "--set", "layers=4", "--set", "heads=2"]}
WIDTH |= dict.fromkeys(["gla", "gdn", "mamba2", "linear"], ["--set", "dim=64", "--set", "layers=2", "--set", "heads=2"])
WIDTH["moe"] = ["--set", "dim=64", "--set", "layers=2", "--set", "ffn=32", "--set", "count=4", "--set", "chosen=2", "--set", "balance=0.1"]
WIDTH["latent"] = ["--set", "dim=64", "--set", "layers=2", "--set", "heads=2", "--set", "turned=8", "--set", "straight=24"]
options = [*TASK, "--steps", 20, "--save-every", 5, "--keep", 9, "--eval-every", 10, "--eval-batches", 3, "--threads", 1,
           "--quiet"]


def path(*words):
    return os.path.join(folder, "-".join(map(str, words)))


def same(name, trained, ranks, *more):
    """Trains with each number of ranks; returns the one digest of the runs."""
    digests = {}
    for count in ranks:
        out = path(name, count)
        run(trained, *options, *more, "--ranks", count, "--out", out)
        digests[count] = digest_of_ranks(out, 20)
    expect(len(set(digests.values())) == 1, f"{name}: bits depend on the number of ranks: {digests}")
    return digests[ranks[0]]


for file in sorted(os.listdir(models)):
    if name := file.removesuffix(".stretto") if file.endswith(".stretto") else "":
        same(name, program(f"{models}/{file}", *SMALL, *WIDTH[name]), (1, 2, 4), "--virtual-ranks", 4)

# What changes the layout of weights and of steps.
llama = program(f"{models}/llama.stretto", *SMALL, *WIDTH["llama"])
tied = program(f"{models}/llama.stretto", *SMALL, *WIDTH["llama"], "--set", "tied=true", "--dtype", "f64", "--decode", 16)
expected = same("eight", llama, (1, 2, 4, 8), "--virtual-ranks", 8)
waits = [json.loads(read(f"{path('eight', count)}/timing.jsonl").splitlines()[0])["data_wait"] for count in (2, 4, 8)]
# Ranks agree on the data of a step, which takes much more than 10 us.
expect(max(waits) > 1e-5, f"no wait of ranks for the data of their first step is told: {waits}")
same("six", llama, (1, 3, 6), "--virtual-ranks", 6)
same("tied", tied, (1, 2), "--virtual-ranks", 2, "--accumulate", 2, "--eval-generate", 6)
expect(same("finite", llama, (2,), "--virtual-ranks", 8, "--check-finite") == expected, "bits differ with --check-finite")
expect(same("late", llama, (1, 2), "--virtual-ranks", 8, "--device", "null-async") == expected, "bits differ where ops run late")

# 4, 2, 8 and 1 ranks take turns, each from the checkpoint of the one before; they know from the run directory how many
# virtual ranks there are.
out = path("turns")
shutil.copytree(path("eight", 4), out)
for step, count in ((5, 2), (10, 8), (15, 1)):
    for later in range(step + 5, 25, 5):
        shutil.rmtree(f"{out}/ckpt/{later:08}")
    run(llama, "--resume", "--ranks", count, "--threads", 1, "--quiet", "--out", out)
    expect(digest_of_ranks(out, 20) == expected, f"bits differ where {count} ranks go on from step {step}")

# What cannot be shared is refused.
told = run(llama, "--resume", "--ranks", 6, "--out", path("eight", 8), status=1)
contains(told, "6 ranks cannot share 8 virtual ranks evenly by powers of two; use 1, 2, 4, 8 ranks")
expect(len(re.findall("error: ", told)) == 1, f"one error must be told, but got:\n{told}")
