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
    {"rotary_theta": 100, "rotary_style": "interleaved", "norm_eps": 0.01, "qk_norm": "whole"},
]

CANON = ("{}", "{b}", "{A, b, C, D}", "{A, B, C, D}")
GENERATIONS = { # as published in 4.1, and in 4.2
    "gla": ({"heads": 2}, {"heads": 2, "key_width": 16, "value_width": 32, "gate_rank": 4, "ffn": 32}),
    "gdn": ({"heads": 2}, {"heads": 2, "key_width": 16, "value_width": 32, "gate_rank": 4}),
    "mamba2": ({"heads": 4, "state": 6}, {"heads": 2, "state": 8}),
}  # fmt: skip
OTHERS = [ # no MLP, shared keys, every mixer of models/std/mixers.stretto, a hybrid
    ("mamba2", {"heads": 4, "groups": 2, "state": 6, "mlp": "false"}),
    ("linear", {"heads": 2, "mixer": "retention", "ffn": 24, "canon_at": "{}"}),
    ("linear", {"heads": 2, "mixer": "delta", "ffn": 24}),
    *(("linear", {"heads": 2, "mixer": mixer, "ffn": 24, "canon_at": "{A, b, C, D}"}) for mixer in ("kimi_delta", "rwkv7_like", "rg_lru", "selective")),
    ("linear", {"heads": 2, "mixer": "delta", "ffn": 24, "period": 2, "canon_at": "{A, C, D}"}),
]  # fmt: skip


def mixer_case(models, name, settings, **more):
    return Case(f"{name} {settings.get('mixer', '')}", os.path.join(models, f"{name}.stretto"), {"dim": 16, "layers": 2} | settings, **more)


def mixers(models, canon=CANON):
    """Linear mixers: both generations with these Canon sets, the second longer than a chunk, and others."""
    for at in canon:
        for name, generations in GENERATIONS.items():
            for settings, length in zip(generations, (9, 35)):
                yield mixer_case(models, name, settings | {"canon_at": at}, length=length)
    for name, settings in OTHERS:
        yield mixer_case(models, name, settings, length=37)


def in_segments(models):
    """States saved each 64 tokens, or 256: two or three of them."""
    yield mixer_case(models, "gla", GENERATIONS["gla"][1], length=150, batch=1, memory_budget=PLENTY)
    yield mixer_case(models, *OTHERS[-1], length=150, batch=1, memory_budget=PLENTY)
    yield mixer_case(models, "gdn", GENERATIONS["gdn"][1], length=260, batch=1)


def cases(models):
    return [replace(case, finite_differences=True) for case in plain_cases(models)]


def plain_cases(models, canon=CANON):
    llama = os.path.join(models, "llama.stretto")
    for count in range(5):
        for letters in itertools.combinations("ABCD", count):
            subset = "{" + ", ".join(letters) + "}"
            yield Case(f"llama {subset}", llama, SIZE | {"canon_at": subset})
    for options in OPTIONS:
        yield Case("llama", llama, SIZE | options)
    yield Case("hello", os.path.join(models, "hello.stretto"), SIZE)
    yield Case("hybrid", os.path.join(models, "hybrid.stretto"), {"dim": 12, "heads": 2, "layers": 6, "ffn": 10}, length=5)
    for settings in ({"canon_at": "{}"}, {"chosen": 2, "tied": "true", "balance": 0.3}):
        yield Case("moe", os.path.join(models, "moe.stretto"), {"dim": 12, "layers": 2, "heads": 2, "ffn": 10, "count": 4} | settings)
    for settings in ({"canon_at": "{}", "tied": "true"}, {}):
        heads = {"heads": 3, "latent": 8, "turned": 2, "straight": 3, "value": 4}
        yield Case("latent", os.path.join(models, "latent.stretto"), {"dim": 12, "layers": 2, "ffn": 10} | heads | settings)
    for settings in OPTIONS[2:6:3] + [{}]:
        yield Case("llama with memory", llama, SIZE | settings, memory_budget=PLENTY)
    for settings in ({}, {"tied": "true"}):  # logits too large to be held at once; as little saved as possible
        yield Case("llama in chunks", llama, SIZE | settings, 4, 32, vocabulary=4200, memory_budget=1)
    for loss in ({"nll_square": 0.1}, {"z_loss": 0.1}, {"nll_square": 1e-4, "z_loss": 0.5}):
        yield Case(f"llama with {loss}", llama, SIZE | {"layers": 1}, **loss)
    yield Case("llama in chunks with terms", llama, SIZE | {"layers": 1}, 4, 32, vocabulary=4200, nll_square=0.1, z_loss=0.1)
    yield from mixers(models, canon)
    yield from in_segments(models)


if __name__ == "__main__":
    sys.exit(check_all(cases(sys.argv[1])) != 0)
