# REQUIRES: compiler, runtime
# RUN: %python %s %models
"""The models with all options and Canon subsets: gradients against PyTorch in f64."""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from oracle import Case, check_all, with_options

SIZE = {"dim": 12, "layers": 3, "heads": 2}
OPTIONS = [
    {"rotary_fraction": 0.5, "heads": 1, "mlp_kind": "standard"},
    {"rotary_fraction": 0},
    {"dim": 24, "heads": 6, "rotary_heads": 0.5, "qk_norm": "whole", "kv_heads": 2},
    {"dim": 24, "heads": 4, "kv_heads": 2, "qk_norm": "head", "activation": "relu2"},
    {"tied": "true", "mlp_kind": "standard", "activation": "relu2"},
    {"canon_residual": "false", "canon_bias": "true", "canon_activation": "silu", "activation": "gelu"},
    {"canon_kernel": 2, "canon_frozen": "true", "layers": 1},
    {"canon_kernel": 3, "qk_norm": "whole", "tied": "true"},
]


def cases(models):
    llama = os.path.join(models, "llama.stretto")
    for count in range(5):
        for letters in itertools.combinations("ABCD", count):
            subset = "{" + ", ".join(letters) + "}"
            yield Case(f"llama {subset}", llama, SIZE | {"canon_at": subset})
    for options in OPTIONS:
        yield Case("llama", llama, SIZE | options)
    yield Case("hello", os.path.join(models, "hello.stretto"), SIZE)
    yield Case("hybrid", os.path.join(models, "hybrid.stretto"), {"dim": 12, "heads": 2, "layers": 6, "ffn": 10}, length=5)
    # The head in chunks of rows; as little saved as possible.
    for settings in ({}, {"tied": "true"}):
        chunked = with_options(seq_add_loss="head-bytes=4096", seq_choose_saved="memory-budget=1")
        yield Case("llama in chunks", llama, SIZE | settings, batch=4, length=32, stages=chunked)


if __name__ == "__main__":
    sys.exit(check_all(list(cases(sys.argv[1]))) != 0)
