# REQUIRES: compiler, runtime
# RUN: %python %s %models
"""The models with all options and Canon subsets: gradients against PyTorch in f64."""
import itertools
import os
import sys
from dataclasses import replace

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from oracle import PLENTY, Case, check_all

SIZE = {"dim": 12, "layers": 3, "heads": 2}
SUBSETS = 16  # of the Canon layers A, B, C, D: the first cases
OPTIONS = [
    {"rotary_fraction": 0.5, "heads": 1, "mlp_kind": "standard"},
    {"rotary_fraction": 0},
    {"dim": 24, "heads": 6, "rotary_heads": 0.5, "qk_norm": "whole", "kv_heads": 2},
    {"dim": 24, "heads": 4, "kv_heads": 2, "qk_norm": "head", "activation": "relu2"},
    {"tied": "true", "mlp_kind": "standard", "activation": "relu2"},
    {"canon_residual": "false", "canon_bias": "true", "canon_activation": "silu", "activation": "gelu"},
    {"canon_kernel": 2, "canon_frozen": "true", "layers": 1},
    {"canon_kernel": 3, "qk_norm": "whole", "tied": "true"},
    {"canon_activation": "silu", "layers": 2},
]

CANON = ("{}", "{b}", "{A, b, C, D}", "{A, B, C, D}")
MIXERS = [ # of both generations; the columns of keys and values, shared keys, every mixer of models/std/mixers.stretto
    ("gla", {"heads": 2, "key_width": 16, "value_width": 32, "gate_rank": 4, "ffn": 32}),
    ("gdn", {"heads": 2, "key_width": 16, "value_width": 32, "gate_rank": 4}),
    ("mamba2", {"heads": 4, "groups": 2, "state": 6, "mlp": "false"}),
    *(("linear", {"heads": 2, "mixer": mixer, "ffn": 24}) for mixer in ("retention", "delta", "kimi_delta", "rwkv7_like")),
    ("linear", {"heads": 2, "mixer": "delta", "ffn": 24, "period": 2}),
]  # fmt: skip


def mixers(models, length=37):
    """Linear mixers: published settings with all Canon sets, and others."""
    small = {"dim": 16, "layers": 2}
    for canon in CANON:
        for name, settings in (("gla", {"heads": 2}), ("gdn", {"heads": 2}), ("mamba2", {"heads": 4, "state": 6})):
            yield Case(f"{name} {canon}", os.path.join(models, f"{name}.stretto"), small | settings | {"canon_at": canon}, length=9)
    for name, settings in MIXERS:
        yield Case(f"{name} {settings.get('mixer', '')}", os.path.join(models, f"{name}.stretto"), small | settings, length=length)


def cases(models):
    return [replace(case, finite_differences=True) for case in plain_cases(models)]


def plain_cases(models):
    llama = os.path.join(models, "llama.stretto")
    for count in range(5):
        for letters in itertools.combinations("ABCD", count):
            subset = "{" + ", ".join(letters) + "}"
            yield Case(f"llama {subset}", llama, SIZE | {"canon_at": subset})
    for options in OPTIONS:
        yield Case("llama", llama, SIZE | options)
    yield Case("hello", os.path.join(models, "hello.stretto"), SIZE)
    yield Case("hybrid", os.path.join(models, "hybrid.stretto"), {"dim": 12, "heads": 2, "layers": 6, "ffn": 10}, length=5)
    for settings in OPTIONS[2:6:3] + [{}]:
        yield Case("llama with memory", llama, SIZE | settings, memory_budget=PLENTY)
    for settings in ({}, {"tied": "true"}):  # logits too large to be held at once; as little saved as possible
        yield Case("llama in chunks", llama, SIZE | settings, 4, 32, vocabulary=4200, memory_budget=1)
    yield from mixers(models)


if __name__ == "__main__":
    sys.exit(check_all(cases(sys.argv[1])) != 0)
