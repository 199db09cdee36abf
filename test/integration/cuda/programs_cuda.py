"""What the tests of emulated CUDA programs share: a small LlamaCanon, its programs for both targets, numbers of runs."""
import json
import os
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path += [os.path.join(ROOT, "test", folder) for folder in ("support", "integration/program")]
import numpy as np  # noqa: E402
from programs import TASK, digest, empty, expect, program, read, run  # noqa: E402, F401
from training_program import read_safetensors  # noqa: E402

LLAMA = os.path.join(ROOT, "models", "llama.stretto")
HYBRID = os.path.join(ROOT, "models", "hybrid.stretto")
EMULATE = ["--target=cuda", "--emulate"]
SMALL = [*TASK, "--batch", 2, "--length", 64]
TWO_LAYERS = [*SMALL, "--set", "dim=32", "--set", "layers=2", "--set", "heads=2"]
SHORT = [*TASK, "--lr", "0.002", "--schedule", "constant", "--eval-every", 0, "--eval-batches", 1, "--quiet"]


def train(path, folder, steps, *more, seed=0, checks="fast"):
    """Trains and returns losses by step; the run is in `folder`."""
    order = {"STRETTO_EMULATOR_SEED": str(seed), "STRETTO_EMULATOR_CHECKS": checks}
    run(path, *SHORT, "--threads", 1, "--steps", steps, "--out", folder, *more, environment=order)
    return losses(folder)


def losses(folder):
    lines = map(json.loads, read(f"{folder}/metrics.jsonl").splitlines())
    return np.array([line["loss"] for line in lines if "loss" in line])


def weights(folder, step):
    tensors = read_safetensors(f"{folder}/ckpt/{step:08}/weights.safetensors")
    return np.concatenate([tensors[name].ravel().astype(np.float64) for name in sorted(tensors)])


def distance(found, expected):
    """The length of the difference, relative to that of what is expected."""
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def compare(name, folder, reference, step, loss, weight):
    """Losses and last weights of a run against those of another one, both by `distance`."""
    expect(len(losses(folder)) == len(losses(reference)) == step, f"{name}: losses of {step} steps")
    found = distance(losses(folder), losses(reference)), distance(weights(folder, step), weights(reference, step))
    print(f"{name}: losses off by {found[0]:.1e} (at most {loss:.0e}), weights by {found[1]:.1e} (at most {weight:.0e})")
    expect(found[0] <= loss and found[1] <= weight, f"{name} is off")
