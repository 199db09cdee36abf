#!/usr/bin/env python3
"""Writes sweeps for tests of the comparison, below the folder that is given.

`keys`: two learning rates, two sets of Canon layers, seeds 0 to 2; shares by k, a mean in nats, by length, too. The last
run of the sweep has written nothing, the one before has come to step 10 of 20. `bits`: two sizes, bits per parameter.
`plain`: no scores. `ties`: means that are the same but for rounding, the lowest held-out loss
twice. `lost`: the run of the first weight decay and the second seed ends with a loss that is no number. `partly`:
of three weight decays only the second one was evaluated."""
import itertools
import json
import os
import sys


def write_run(folder, lines, steps, settings, parameters):
    os.makedirs(folder + "/build")
    with open(folder + "/metrics.jsonl", "w", encoding="utf-8") as file:
        for line in lines:
            print(json.dumps(line), file=file)
    with open(folder + "/run.toml", "w", encoding="utf-8") as file:
        print(f"[settings]\nsteps = {steps}\nseed = {settings['seed']}", file=file)
    with open(folder + "/build/plan.json", "w", encoding="utf-8") as file:
        json.dump({"blocks": [{"parameters": parameters - 100}, {"parameters": 100}]}, file)


def write_sweep(folder, axes, make):
    """`make` takes the values by name and returns (lines, steps, number of parameters), or None."""
    os.makedirs(folder)
    text = 'options = []\n\n[[spec]]\npath = "m.stretto"\ndigest = "00"\n'
    for name, values in axes.items():
        text += f"\n[[axis]]\nname = {json.dumps(name)}\nvalues = {json.dumps(values)}\n"
    for values in itertools.product(*axes.values()):
        run = "_".join(value.strip("{}").replace(", ", "-") or "none" for value in values)
        text += f'\n[[run]]\nfolder = "{run}"\nvalues = {json.dumps(values)}\ncommand = ""\n'
        settings = dict(zip(axes, values))
        if made := make(settings):
            lines, steps, parameters = made
            write_run(f"{folder}/{run}", lines, steps, settings, parameters)
    with open(folder + "/sweep.toml", "w", encoding="utf-8") as file:
        file.write(text)


def mean(value):
    return {"mean": value, "unit": "nats", "low": value - 0.1, "high": value + 0.1, "count": 50}


def keys(settings):
    rate, canon, seed = settings["lr"], settings["set.canon_at"], int(settings["seed"])
    right = {("1e-3", "{}"): 40, ("3e-3", "{}"): 30, ("1e-3", "{A, B}"): 50, ("3e-3", "{A, B}"): 70}[rate, canon] + seed
    scores = {f"accuracy/k={k}": [right + 8 - k, 100] for k in (8, 4, 2, 1)}
    scores["kl"] = mean(1 - right / 100)
    scores.update({f"nll/length={n}": mean(n * (1 - right / 100)) for n in (4, 6)})
    last = 10 if (rate, canon, seed) == ("3e-3", "{A, B}", 1) else 20
    if (rate, canon, seed) == ("3e-3", "{A, B}", 2):
        return None
    lines = [{"step": step, "loss": 2.0} for step in range(1, last + 1)] + [{"step": last, "eval_loss": 1.5, "scores": scores}]
    return lines, 20, 1000


def bits(settings):
    size = {"64": 50100, "128": 200100}[settings["set.dim"]]
    value = {"value": 1.25 if settings["set.dim"] == "64" else 0.75, "unit": "bits/parameter"}
    most = {"value": 2, "unit": "bits/parameter"}
    scores = {"bits_per_parameter": value, "most_bits_per_parameter": most, "floor": {"value": 0.5, "unit": ""}}
    return [{"step": 1, "loss": 2.0}, {"step": 1, "eval_loss": 1.5, "scores": scores}], 1, size


def plain(settings):
    held_out = {"1": 1.5, "2": 0.5, "4": 1.0}[settings["weight-decay"]]
    return [{"step": 1, "loss": 2.0}, {"step": 1, "eval_loss": held_out, "scores": {}}], 1, 1000


def ties(settings):
    held_out = {"1": 1.5, "2": 0.5, "4": 0.5, "8": 0.25}[settings["weight-decay"]]
    totals = {"1": (2, 7, 11), "2": (7, 11, 2), "4": (11, 2, 7), "8": (2, 8, 11)}[settings["weight-decay"]]
    scores = {"accuracy": [1, totals[int(settings["seed"])]]}
    return [{"step": 1, "loss": 2.0}, {"step": 1, "eval_loss": held_out, "scores": scores}], 1, 1000


def lost(settings):
    held_out = "nan" if (settings["weight-decay"], settings["seed"]) == ("1", "1") else {"1": 0.25, "2": 0.5, "4": 1.0}[settings["weight-decay"]]
    return [{"step": 1, "loss": 2.0}, {"step": 1, "eval_loss": held_out, "scores": {}}], 1, 1000


def partly(settings):
    evaluation = [{"step": 1, "eval_loss": 1.5, "scores": {}}] if settings["weight-decay"] == "2" else []
    return [{"step": 1, "loss": 2.0}, *evaluation], 1, 1000


out = sys.argv[1]
write_sweep(out + "/lost", {"weight-decay": ["1", "2", "4"], "seed": ["0", "1"]}, lost)
write_sweep(out + "/partly", {"weight-decay": ["1", "2", "4"], "seed": ["0"]}, partly)
write_sweep(out + "/keys", {"lr": ["1e-3", "3e-3"], "set.canon_at": ["{}", "{A, B}"], "seed": ["0", "1", "2"]}, keys)
write_sweep(out + "/bits", {"set.dim": ["64", "128"], "seed": ["0"]}, bits)
write_sweep(out + "/plain", {"weight-decay": ["1", "2", "4"], "seed": ["0"]}, plain)
write_sweep(out + "/ties", {"weight-decay": ["1", "2", "4", "8"], "seed": ["0", "1", "2"]}, ties)
