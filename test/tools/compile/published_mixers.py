"""The linear models of Part 4.2: as many weights as their published layers have, counted here by hand.

REQUIRES: compiler
RUN: %python3 %s %models
"""
import json
import os
import subprocess
import sys

SIZES = { # width, layers, width of the MLP, vocabulary
    "1B": (2048, 24, 4096, 32000), "3B": (3072, 26, 6144, 32000), "8B": (4096, 32, 9472, 128256),
}  # fmt: skip
WIDE = {"key_width": "dim", "value_width": "2 * dim", "heads": "dim / 128", "gate_rank": 16}
SETTINGS = {"gla": WIDE, "gdn": WIDE, "mamba2": {"state": 128, "heads": "dim / 128"}}


def low_rank(width, to, rank=16):
    return width * rank + rank * to + to


def mixer_weights(model, d):
    heads, keys, values = d // 128, d, 2 * d
    if model == "mamba2":
        state = 128
        convolved = values + 2 * state
        projections = d * (2 * values + 2 * state + heads)
        return projections + 5 * convolved + 3 * heads + values + values * d  # taps and bias; a, dt, D; norm; out
    taps = 4 * (2 * keys + values)
    decay = low_rank(d, keys) if model == "gla" else 2 * d * heads + 2 * heads  # a and beta, a_log and dt_bias
    return d * (2 * keys + values) + taps + decay + low_rank(d, values) + values // heads + values * d


def weights(model, size, canon):
    d, layers, ffn, vocabulary = SIZES[size]
    layer = mixer_weights(model, d) + 3 * d * ffn + 2 * d + (4 * (2 * d + 2 * ffn) if canon else 0)
    return layers * layer + 2 * vocabulary * d + d


def summary(models, model, size, canon):
    d, layers, ffn, vocabulary = SIZES[size]
    settings = SETTINGS[model] | {"dim": d, "layers": layers, "ffn": ffn, "canon_at": "{A, b, C, D}" if canon else "{b}"}
    command = ["stretto-compile", "summary", os.path.join(models, f"{model}.stretto"), f"--vocab={vocabulary}", "--batch=1",
               "--length=16", "--json", *(f"--set={name}={value}" for name, value in settings.items())]  # fmt: skip
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["total"]["parameters"]


for model in SETTINGS:
    for size in SIZES:
        for canon in (False, True):
            found, wanted = summary(sys.argv[1], model, size, canon), weights(model, size, canon)
            assert found == wanted, f"{model} {size} {canon}: {found} weights instead of {wanted}"
