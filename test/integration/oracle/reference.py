# REQUIRES: compiler, runtime
# RUN: %python %s %models
"""models/llama.stretto against LlamaCanon written by hand from the paper: loss and gradients in f64."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import numpy as np

from llama_canon_reference import LlamaCanon, from_stretto, to_stretto
from oracle import Case, differences, emitted_module, model_of, random_data, random_weights, seq_module, torch_results

CONFIGS = [
    {"canon_at": ""},
    {"canon_at": "ABCD"},
    {"canon_at": "AC", "qk_norm": "whole"},
    {"canon_at": "BD", "mlp_kind": "standard", "activation": "relu2", "canon_kernel": 3},
    {"canon_at": "ABCD", "heads": 4, "kv_heads": 2, "dim": 32, "rotary_fraction": 0.25, "canon_residual": False},
    {"canon_at": "D", "tied": True, "rotary_fraction": 0.0},
    {"canon_at": "ABCD", "canon_activation": "silu", "canon_bias": True, "mlp_kind": "standard"},
    {"canon_at": "AD", "canon_activation": "silu", "canon_residual": False, "canon_kernel": 2},
    {"canon_at": "ABCD", "qk_norm": "whole", "rotary_style": "interleaved", "norm_eps": 0.1},
    {"canon_at": "B", "heads": 4, "kv_heads": 2, "dim": 32, "rotary_fraction": 0.5, "rotary_style": "interleaved",
     "rotary_theta": 100.0},
    {"canon_at": "", "rotary_theta": 100.0},
]
SIZE = {"dim": 16, "layers": 2, "heads": 2, "vocab": 11}


def setting(value):
    return {"True": "true", "False": "false"}.get(str(value), str(value))


def check(config, seed, models):
    settings = {name: setting(value) for name, value in config.items() if name != "vocab"}
    settings["canon_at"] = "{" + ", ".join(config["canon_at"]) + "}"
    case = Case("reference", os.path.join(models, "llama.stretto"), settings)
    rng = np.random.default_rng(seed)
    emitted = model_of(emitted_module(seq_module(case, "--f64")))
    random_weights(emitted, rng)
    reference = LlamaCanon(**config).double()
    reference.load_state_dict(from_stretto(emitted.state_dict(), reference))
    data = random_data(case, rng)
    found, expected = torch_results(emitted, *data), torch_results(reference, *data)
    problems = differences(found.gradients, to_stretto(expected.gradients, reference), 1e-10)
    if not abs(found.loss - expected.loss) <= 1e-12 * abs(expected.loss):
        problems.append(f"loss {found.loss!r} instead of {expected.loss!r}")
    for problem in problems:
        print(f"{config}: {problem}")
    return bool(problems)


if __name__ == "__main__":
    failures = sum(check(SIZE | config, seed, sys.argv[1]) for seed, config in enumerate(CONFIGS))
    print(f"{len(CONFIGS) - failures} of {len(CONFIGS)} agree with the reference")
    sys.exit(failures != 0)
