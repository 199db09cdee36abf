"""The measured model and where things are."""
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, f"{ROOT}/test/gpu")
import machine

FULL = {"dim": 768, "layers": 12, "length": 2048, "vocabulary": 10000}
SMALL = {"dim": 64, "layers": 2, "length": 32, "vocabulary": 101}
BATCHES = {"32k": 16, "2k": 1}  # by the tokens of a step
SMALL_BATCHES = {"32k": 4, "2k": 1}
# Of our programs; worker.py has the same.
OPTIONS = ["--lr", "1e-4", "--beta1", "0.9", "--beta2", "0.98", "--epsilon", "1e-6", "--weight-decay", "0.1", "--clip", "1"]


def shape(tokens, small):
    return (SMALL | {"batch": SMALL_BATCHES[tokens]}) if small else (FULL | {"batch": BATCHES[tokens]})


def flops_per_token(model):
    """Of a step, matmuls and causal attention alone, as 2mnk and three times the forward; Canon is not counted."""
    d, layers, length = model["dim"], model["layers"], model["length"]
    ffn = 8 * d // 3 // 8 * 8
    matmuls = 2 * (layers * (4 * d * d + 3 * d * ffn) + d * model["vocabulary"])
    return 3 * (matmuls + 2 * length * d * layers)


def without_folders(value):
    """The same with names in place of paths, which are of one machine."""
    if isinstance(value, dict):
        return {key: without_folders(each) for key, each in value.items()}
    if isinstance(value, list):
        return [without_folders(each) for each in value]
    return os.path.basename(value) if isinstance(value, str) and os.path.isabs(value) else value


def write(path, value):
    """Replaces a JSON file whole, so that a bench that is ended leaves a good one. No paths of this machine are in it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".partial", "w", encoding="utf-8") as file:
        json.dump(without_folders(value), file, indent=1)
    os.replace(path + ".partial", path)


def results_folder():
    """Where results go: $OUT of a lent machine, else beside those of the CPU."""
    return os.environ.get("OUT") or f"{ROOT}/bench/results"


def slug(name):
    return "".join(c if c.isalnum() else "-" for c in name.lower()).strip("-")


__all__ = ["BATCHES", "FULL", "HERE", "OPTIONS", "ROOT", "flops_per_token", "machine", "results_folder", "shape", "slug", "write"]
