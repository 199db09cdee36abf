# REQUIRES: compiler, runtime
# RUN: %python %s %t
"""Factors of learning rates and weight decays: steps of a compiled program in f64 against PyTorch's AdamW with a group for each
weight, of factors that stand in the spec, differ by layer, and are asked for beside it, also of matmuls that are one.
"""
import json
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import torch
import torch.nn.functional as F

from oracle import run

SPEC = """
model m(vocab: int, dim = 20, layers = 3) {
  block layer(x, i: int) {
    gain = parameter(dim, init = ones, lr_factor = 1 / (i + 1), weight_decay_factor = 0)
    h = rms_norm(x)
    q, k = linear(h, 12), linear(h, 8)
    inner = parameter(dim, dim, lr_factor = 0.25)
    return x + gain * linear(silu(canon(concat(q, k))), weight = inner)
  }
  embedding = parameter(vocab, dim)
  x = embed(tokens, weight = embedding)
  repeat layers as i { x = layer(x, i) }
  return linear(rms_norm(x), vocab)
}
"""
ASKED = ["--lr-factors", "*=1,*.k.weight=3,embed*=0.5,layers.1.layer.inner=0.75", "--weight-decay-factors", "*norm*=0,*.q.weight=7"]
SETTINGS = {"steps": 6, "lr": 1e-2, "weight-decay": 0.5, "beta1": 0.9, "beta2": 0.98, "epsilon": 1e-6, "clip": 0.5, "seed": 7}
BATCH, TOLERANCE = 4, 1e-12


def factors_of(name):
    """(learning rate, weight decay) of a weight: `*=1` takes the place of what the spec says."""
    rate = 3 if name.endswith(".k.weight") else 0.5 if name == "embedding" else 0.75 if name == "layers.1.layer.inner" else 1
    return rate, 0 if "norm" in name or name.endswith("gain") else 7 if name.endswith(".q.weight") else 1


def of_spec(name):
    """The same where nothing is asked for beside the spec."""
    layer = int(name.split(".")[1]) if name.startswith("layers.") else 0
    return (1 / (layer + 1), 0) if name.endswith("gain") else (0.25 if name.endswith("inner") else 1, 1)


def train(program, folder):
    """The folder of the checkpoints that a run begins and ends with."""
    shutil.rmtree(folder, ignore_errors=True)
    settings = [word for name, value in SETTINGS.items() for word in (f"--{name}", str(value))]
    common = ["--task", "copy", *settings, "--schedule", "constant", "--warmup", "0", "--eval-batches", "0", "--quiet"]
    run([program, *common, "--steps", "0", "--out", f"{folder}/start"])
    run([program, *common, "--out", f"{folder}/run"])
    return [f"{folder}/{part}/weights.safetensors" for part in ("start/ckpt/00000000", f"run/ckpt/{SETTINGS['steps']:08}")]


def rows():
    """(tokens, targets, mask) of each step."""
    count = str(SETTINGS["steps"] * BATCH)
    text = run(["stretto", "data", "copy", "--seed", str(SETTINGS["seed"]), "--samples", count, "--json"])
    lines = [json.loads(line) for line in text.splitlines()]
    return zip(*(torch.tensor([line[name] for line in lines]).split(BATCH) for name in ("tokens", "targets", "mask")))


def groups_of(factors):
    """Makes a group for each weight of a model."""
    return lambda model, lr, decay: [{"params": [weight], "lr": lr * factors(name)[0], "weight_decay": decay * factors(name)[1]}
                                     for name, weight in model.named_parameters()]  # fmt: skip


def step_all(model, make_groups):
    groups = make_groups(model, SETTINGS["lr"], SETTINGS["weight-decay"])
    optimizer = torch.optim.AdamW(groups, betas=(SETTINGS["beta1"], SETTINGS["beta2"]), eps=SETTINGS["epsilon"])
    for tokens, targets, mask in rows():
        nll = F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten(), reduction="none")
        optimizer.zero_grad()
        ((nll * mask.flatten()).sum() / mask.sum()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), SETTINGS["clip"])
        optimizer.step()
    return dict(model.state_dict())


def apart(found, expected):
    return max(((found[name] - value).norm() / value.norm()).item() for name, value in expected.items())


def main(folder):
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    os.makedirs(folder, exist_ok=True)
    spec = f"{folder}/m.stretto"
    with open(spec, "w", encoding="utf-8") as file:
        file.write(SPEC)
    failed = False
    for what, options, factors in (("asked for", ASKED, factors_of), ("of the spec", [], of_spec)):
        line = [spec, "--task", "copy", "--batch", str(BATCH), "--dtype=f64", *options]
        start, end = train(run(["stretto", "program", *line]).strip(), f"{folder}/run")
        emitted = {}
        exec(run(["stretto", "compile", *line, "--emit=pytorch"]), emitted)
        trained = emitted["read_stretto"](end)
        ways = {"by hand": groups_of(factors), "emitted": emitted["parameter_groups"], "without factors": groups_of(lambda _: (1, 1))}
        for name, make_groups in ways.items():
            difference = apart(trained, step_all(emitted["load_stretto"](start), make_groups))
            print(f"{what}, {name}: weights are apart by {difference:.1e}")
            failed |= not (difference > 1e-3 if name == "without factors" else difference <= TOLERANCE)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
