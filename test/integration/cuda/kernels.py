"""Every kernel of the models, at small and awkward sizes, on the emulator against what its operation means: kernels.py FOLDER
SET compiles the models of a set for CUDA and hands their kernels to stretto-check-cuda-kernels. Of the mixers (`every`, in
test/support/whole.py) each time one form of each."""
import itertools
import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path += [os.path.join(ROOT, "test", folder) for folder in ("integration/runtime", "support")]
from harness import expect, run  # noqa: E402
from whole import WHOLE, every  # noqa: E402

SUBSETS = ["{" + ",".join(places) + "}" for count in range(5) for places in itertools.combinations("ABCD", count)]
# Batch, length, vocabulary; sizes of the model; other options.
ODD = ((3, 7, 37), "dim=20 layers=2 heads=2 ffn=28", "")
SETTINGS = [
    ((2, 33, 64), "dim=64 layers=2", ""),
    ((2, 13, 40), "dim=24 layers=2 heads=3", "--dtype=f64"),
    ((2, 13, 40), "dim=24 layers=2 heads=3", "--dtype=bf16"),
    ((2, 9, 40), "dim=24 layers=2 heads=3", "--fuse=none"),
    ((1, 1, 40), "dim=24 layers=2 heads=3", ""),
    ((3, 2, 40), "dim=24 layers=2 heads=3", "--dtype=bf16"),
    ((3, 37, 40), "dim=32 layers=2 heads=2", "--dtype=bf16 --fuse=always"),  # groups of an epilogue without rows
    ((1, 3, 40), "dim=128 layers=2 heads=2", ""),  # so many parameters that their squares take more than a row
]
VARIANTS = ["qk_norm=whole", "qk_norm=head kv_heads=1", "tied=true", "mlp_kind=standard activation=gelu", "canon_frozen=true",
            "mlp_kind=standard activation=relu2 canon_bias=true", "canon_activation=silu canon_kernel=3", "rotary_heads=0.5",
            "rotary_fraction=0.5", "canon_residual=false activation=relu2"]
# The same with as little saved for the backward as can be.
RECOMPUTED, LITTLE = ["", "qk_norm=head kv_heads=1"], "--memory-budget=1"
OTHERS = [
    ((2, 19, 40), "dim=24 layers=4 heads=2", ""),
    ((3, 3, 41), "dim=36 layers=4 heads=2", "--dtype=bf16"),
    ((1, 1, 41), "dim=36 layers=4 heads=2", "--dtype=f64"),
    ((1, 5, 41), "dim=36 layers=4 heads=2", "--fuse=none"),
]
# Linear mixers: three chunks, of which the last has two rows; keys and values that fill tiles, and others.
MIXERS = [("gla", ""), ("mamba2", "state=12"), ("gdn", ""),
          *(("linear", f"mixer={mixer}") for mixer in ("retention", "delta", "kimi_delta", "rg_lru", "selective"))]
FORMS = [(1, "dim=32 heads=2", ""), (2, "dim=20 heads=1", "--mask-documents"), (1, "dim=40 heads=2", "--dtype=f64"),
         (2, "dim=16 heads=1", "--dtype=f64 --mask-documents"), (1, "dim=40 heads=2", "--dtype=bf16"),
         (1, "dim=16 heads=1", "--dtype=bf16 --mask-documents")]
# Two segments of 256 tokens, and a state for each 64; states that several programs share.
LONG = [((1, 330, 40), "dim=16 heads=2", ""), ((2, 150, 40), "dim=16 heads=2", "--mask-documents --memory-budget=1G")]
WIDE = ("gla", (1, 66, 40), "dim=32 layers=1 heads=1 key_width=96 value_width=192", "")


def mixer_cases():
    short = [(model, (batch, 130, 40), f"{size} layers=1 {setting}", more) for model, setting in MIXERS for batch, size, more in FORMS]
    long = [(model, shape, f"{sizes} layers=1 {setting}", more) for model, setting in MIXERS for shape, sizes, more in LONG]
    return every(len(FORMS) + 1, short) + ([*long, WIDE] if WHOLE else [])


def cases(which):
    if which == "mixers":
        return mixer_cases()
    if which == "subsets":
        return [("llama", shape, f"{sizes} canon_at={subset}", more) for subset in SUBSETS for shape, sizes, more in [ODD]]
    if which == "types":
        return [("llama", shape, f"{sizes} canon_at={subset}", more)
                for subset in (SUBSETS[0], SUBSETS[-1]) for shape, sizes, more in SETTINGS]
    if which == "variants":
        return [("llama", (2, 11, 48), f"dim=32 layers=2 heads=2 {variant}", more)
                for variant, more in [*((variant, "") for variant in VARIANTS), *((variant, LITTLE) for variant in RECOMPUTED)]]
    return [(model, *other) for model in ("hello", "hybrid") for other in OTHERS]


def compile_kernels(path, model, shape, sizes, more):
    tokens = [f"--{name}={value}" for name, value in zip(("batch", "length", "vocab"), shape)]
    sets = [word for size in sizes.split() for word in ("--set", size)]
    spec = os.path.join(ROOT, "models", f"{model}.stretto")
    run("stretto-compile", spec, *tokens, *sets, *more.split(), "--target=cuda", "--emulate", "--emit=kernels", "-o", path)


if __name__ == "__main__":
    folder, check, which, least = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    paths = []
    for number, case in enumerate(cases(which)):
        paths.append(f"{folder}/{case[0]}{number}.mlir")
        compile_kernels(paths[-1], *case)
    result = subprocess.run([check, *paths], capture_output=True, text=True)
    print(result.stdout, result.stderr)
    found = re.search(r"^(\d+) kernels, 0 of them wrong$", result.stdout, re.M)
    expect(result.returncode == 0 and found, f"status {result.returncode}")
    expect(int(found[1]) >= int(least), f"at least {least} distinct kernels, but got {found[1]}")
