"""PyTorch's side of a comparison, in a process of its own.

    reference.py MODULE.py START ROWS (SETTINGS.json RESULT.json)...

For each of the settings: trains the emitted module from the weights START on the rows, in batches in order, with its own AdamW,
clipping and the schedule written down here, in f32 (matmuls without TF32) or with autocast to bf16; writes the losses, and the
gradients of the first step where "gradients" in the settings names a file. With "evaluate" it judges START on the first rows instead.
"""
import contextlib
import inspect
import json
import math
import sys

import torch
import torch.nn.functional as F

from rows import write_safetensors


def rate(step, settings):
    """The learning rate of a step, counted from 1: linear warm-up, then a cosine."""
    if step < settings["warmup"]:
        return settings["lr"] * step / settings["warmup"]
    done = (step - settings["warmup"]) / max(1, settings["steps"] - settings["warmup"])
    left = settings["final-fraction"]
    return settings["lr"] * (left + (1 - left) * 0.5 * (1 + math.cos(math.pi * done)))


def batch_of(rows, step, batch, device):
    count = rows["tokens"].shape[0]
    index = torch.arange(step * batch, (step + 1) * batch) % count
    inputs = [name for name in ("tokens", "positions") if name in rows]
    return [rows[name][index].to(device).long() for name in inputs], *(rows[name][index].to(device).long() for name in ("targets", "mask"))


def dropout_keys(model, step, settings, tokens):
    """Of a step, counted from 0, where the model drops out."""
    if "dropout_keys" not in inspect.signature(model.forward).parameters:
        return {}
    keys = model.forward.__globals__["keys_of_dropout"](settings["seed"], step * settings["batch"], *tokens.shape)
    return {"dropout_keys": keys.to(tokens.device)}


def losses_of_tokens(model, inputs, targets, **more):
    """Logits, the negative log-likelihood of each token, and what the model adds to it."""
    if "targets" in inspect.signature(model.forward).parameters:
        more["targets"] = targets
    outputs = model(*inputs, **more)
    logits, *added = outputs if isinstance(outputs, tuple) else (outputs,)
    nll = F.cross_entropy(logits.flatten(0, 1).float(), targets.flatten(), reduction="none")
    return logits, nll, added[0].flatten() if added else 0.0


def train(model, rows, settings, device, amp):
    optimizer = torch.optim.AdamW(model.parameters(), betas=(settings["beta1"], settings["beta2"]), eps=settings["epsilon"],
                                  weight_decay=settings["weight-decay"])  # fmt: skip
    losses = []
    for step in range(1, settings["steps"] + 1):
        inputs, targets, mask = batch_of(rows, step - 1, settings["batch"], device)
        with amp():
            _, nll, added = losses_of_tokens(model, inputs, targets, **dropout_keys(model, step - 1, settings, targets))
            loss = ((nll + added) * mask.flatten()).sum() / mask.sum()
        optimizer.zero_grad()
        loss.backward()
        if step == 1 and "gradients" in settings:
            write_safetensors(settings["gradients"], {name: p.grad.cpu().numpy() for name, p in model.named_parameters()})
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings["clip"])
        optimizer.param_groups[0]["lr"] = rate(step, settings)
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses}


@torch.no_grad()
def evaluate(model, rows, settings, device, amp):
    total = right = count = 0
    for step in range(settings["evaluate"]):
        inputs, targets, mask = batch_of(rows, step, settings["batch"], device)
        with amp():
            logits, nll, _ = losses_of_tokens(model, inputs, targets)
        total += (nll * mask.flatten()).sum().item()
        right += ((logits.argmax(-1) == targets) * mask).sum().item()
        count += mask.sum().item()
    return {"loss": total / count, "right": right, "count": count}


def result_of(emitted, start, rows, settings, device):
    model, data = emitted["load_stretto"](start).to(device), emitted["read_stretto"](rows)
    amp = (lambda: torch.autocast(device, torch.bfloat16)) if settings["dtype"] == "bf16" else contextlib.nullcontext
    return (evaluate if "evaluate" in settings else train)(model, data, settings, device, amp)


def main(module, start, rows, *files):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.set_num_threads(min(8, torch.get_num_threads()))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    emitted = {}
    with open(module, encoding="utf-8") as file:
        exec(compile(file.read(), module, "exec"), emitted)
    for given, result in zip(files[::2], files[1::2], strict=True):
        with open(given, encoding="utf-8") as file:
            settings = json.load(file)
        found = result_of(emitted, start, rows, settings, device)
        with open(result, "w", encoding="utf-8") as file:
            json.dump(found | {"device": device}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
