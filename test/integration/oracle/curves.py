# REQUIRES: compiler, runtime
# RUN: %python %s %models %t
"""Loss curves: 50 steps of a Llama with Canon ABCD in f32, by a compiled program and by PyTorch on the same rows.

PyTorch trains twice, the emitted module and LlamaCanon written by hand, with its own AdamW, its own clipping and the
schedule written down here; the rows come from `stretto data`, the weights from the program's checkpoint of step 0.
Every loss must agree within TOLERANCE of itself, every trained weight within WEIGHT_TOLERANCE of its norm. What is left
is rounding: measured are 6e-7 (weights: 5e-6) between ours and either of PyTorch's, 2e-7 between these two, so
the tolerances leave room for other processors and other orders of sums. They leave none for mistakes: a slip of some
percent in one setting, tried in PyTorch alone, parts the curves by 4e-4 and more.
"""
import json
import math
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import torch
import torch.nn.functional as F

from llama_canon_reference import LlamaCanon, from_stretto
from oracle import run

TOLERANCE = 1e-5
WEIGHT_TOLERANCE = 1e-4
SLIP_STEPS = 25  # by then a slip shows most
TASK = ["--preset", "one-hop"]
SHAPE = {"batch": 8, "length": 128, "vocabulary": 53}
SIZE = {"dim": 64, "layers": 2, "heads": 2}
SETTINGS = {"steps": 50, "lr": 3e-3, "schedule": "cosine", "warmup": 5, "final-fraction": 0.1, "weight-decay": 0.1,
            "beta1": 0.9, "beta2": 0.98, "epsilon": 1e-6, "clip": 0.5, "seed": 7}  # fmt: skip
SLIPS = {"beta1": 0.89, "beta2": 0.97, "epsilon": 1.2e-6, "weight-decay": 0.09, "clip": 0.51, "warmup": 6, "steps": 51,
         "final-fraction": 0.09, "lr": 3.03e-3}  # one at a time


def arguments(settings):
    return [word for name, value in settings.items() for word in (f"--{name}", str(value))]


def train(program, folder):
    """The losses of the compiled program, and the checkpoints it began and ended with."""
    shutil.rmtree(folder, ignore_errors=True)
    common = ["--task", "depo1", *TASK, *arguments(SETTINGS), "--eval-batches", "0", "--quiet"]
    run([program, *common, "--steps", "0", "--warmup", "0", "--out", f"{folder}/start"])
    run([program, *common, "--out", f"{folder}/run"])
    with open(f"{folder}/run/metrics.jsonl") as metrics:
        losses = [json.loads(line)["loss"] for line in metrics]
    end = f"{folder}/run/ckpt/{SETTINGS['steps']:08}/weights.safetensors"
    return losses, f"{folder}/start/ckpt/00000000/weights.safetensors", end


def rows():
    """(tokens, targets, mask) of each step, as the task makes them."""
    count = SETTINGS["steps"] * SHAPE["batch"]
    text = run(["stretto", "data", "depo1", *TASK, "--seed", str(SETTINGS["seed"]), "--samples", str(count), "--json"])
    lines = [json.loads(line) for line in text.splitlines()]
    whole = [torch.tensor([line[name] for line in lines]) for name in ("tokens", "targets", "mask")]
    return list(zip(*(each.split(SHAPE["batch"]) for each in whole)))


def rate(step, settings):
    """The learning rate of a step, counted from 1."""
    warmup, left = settings["warmup"], settings["final-fraction"]
    if step < warmup:
        return settings["lr"] * step / warmup
    done = (step - warmup) / (settings["steps"] - warmup)
    return settings["lr"] * (left + (1 - left) * 0.5 * (1 + math.cos(math.pi * done)))


def torch_losses(model, batches, settings):
    optimizer = torch.optim.AdamW(model.parameters(), betas=(settings["beta1"], settings["beta2"]),
                                  eps=settings["epsilon"], weight_decay=settings["weight-decay"])  # fmt: skip
    losses, clipped = [], 0
    for step, (tokens, targets, mask) in enumerate(batches, 1):
        nll = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten(), reduction="none")
        loss = (nll * mask.flatten()).sum() / mask.sum()
        optimizer.zero_grad()
        loss.backward()
        clipped += torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip"]).item() > settings["clip"]
        optimizer.param_groups[0]["lr"] = rate(step, settings)
        optimizer.step()
        losses.append(loss.item())
    assert 0 < clipped < len(losses), f"clipping must matter at some steps and not at others, but {clipped} were clipped"
    return losses


def apart(found, expected):
    """The largest relative difference of two curves, and its step."""
    return max((abs(a - b) / abs(b), step) for step, (a, b) in enumerate(zip(found, expected, strict=True), 1))


def slips(model, turned, batches):
    """(what is wrong, losses) of trainings that are not ours; `turned` makes a model with its taps in reverse order."""
    some = batches[:SLIP_STEPS]
    for name, value in SLIPS.items():
        yield f"{name}={value}", torch_losses(model(), some, SETTINGS | {name: value})
    yield "taps in reverse order", torch_losses(turned(), some, SETTINGS)
    yield "rows of another step", torch_losses(model(), batches[1 : SLIP_STEPS + 1], SETTINGS)


def main(models, folder):
    torch.set_num_threads(1)  # other tests run on the other cores
    llama = os.path.join(models, "llama.stretto")
    sizes = [f"--set={name}={value}" for name, value in SIZE.items()] + ["--set=canon_at={A, B, C, D}"]
    shape = ["--task", "depo1", *TASK, "--batch", str(SHAPE["batch"]), "--length", str(SHAPE["length"])]
    ours, start, end = train(run(["stretto", "program", llama, *shape, *sizes]).strip(), folder)
    emitted = {}
    exec(run(["stretto", "compile", llama, *shape, *sizes, "--emit=pytorch"]), emitted)
    batches, trained = rows(), emitted["read_stretto"](end)

    def module():
        return emitted["load_stretto"](start)

    def by_hand():
        model = LlamaCanon(**SIZE, vocab=SHAPE["vocabulary"], canon_at="ABCD")
        model.load_state_dict(from_stretto(emitted["read_stretto"](start), model))
        return model

    def turned():
        model = module()
        with torch.no_grad():
            for name, weight in model.named_parameters():
                if "canon" in name:
                    weight.copy_(weight.flip(0))
        return model

    failed = False
    for name, model in (("the emitted module", module()), ("LlamaCanon by hand", by_hand())):
        losses = torch_losses(model, batches, SETTINGS)
        found = trained if name == "the emitted module" else from_stretto(trained, model)
        weights = max(((found[each] - value).norm() / value.norm()).item() for each, value in model.state_dict().items())
        difference, step = apart(ours, losses)
        print(f"{name}: losses from {losses[0]:.4f} to {losses[-1]:.4f}, apart by at most {difference:.1e} (step {step}), "
              f"weights by {weights:.1e}")
        failed |= not (difference <= TOLERANCE and weights <= WEIGHT_TOLERANCE)
    for name, losses in slips(module, turned, batches):
        difference, step = apart(ours[:SLIP_STEPS], losses)
        print(f"{name}: apart by {difference:.1e} (step {step})")
        failed |= not difference > 10 * TOLERANCE
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
