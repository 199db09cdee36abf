"""One PyTorch form in a process of its own; answers the requests of `PROGRAM --bench`.

    worker.py SETTINGS.json

Settings: form (none, conv, shift, causal-conv1d, fla), mode (eager, compile, autotune, reduce-overhead, graph: compiled,
and the whole step in one captured graph), precision (master: bf16 weights beside f32 masters; autocast), attention (cudnn,
flash: which is tried first), dim, layers, batch, length, vocabulary; weights: where to write the first weights; rows:
tokens and targets to train on, random ones where none are named; mixer: in place of a Llama, layers of nothing but this
(mixer_layers.py).
Prints {"compile_seconds", "loss"} when it is ready, then answers `time N` and `memory`. Steps are timed together, without
reading the loss of each, so that the host may run ahead.
"""
import contextlib
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "step"))
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import mixer_layers
from pytorch_model import Canon, Llama

MODES = {"compile": "default", "autotune": "max-autotune-no-cudagraphs", "reduce-overhead": "reduce-overhead",
         "graph": "default"}  # fmt: skip
GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"


def packaged(form):
    """The forward of Canon by a package; raises ImportError where it is not installed."""
    if form == "causal-conv1d":
        from causal_conv1d import causal_conv1d_fn

        return lambda self, x: x + causal_conv1d_fn(x.transpose(1, 2), self.conv.weight[:, 0]).transpose(1, 2)
    from fla.modules.convolution import causal_conv1d

    return lambda self, x: causal_conv1d(x, self.conv.weight[:, 0], residual=x)[0]


class WideHead(torch.nn.Linear):
    """Logits in f32, as autocast gives them to the loss: in bf16 the loss would be off by a hundredth."""

    def forward(self, x):
        return super().forward(x).float()


def make_model(settings):
    if "mixer" in settings:
        return mixer_layers.make_model(settings).to(DEVICE)
    form = settings["form"]
    own = form if form in ("none", "conv", "shift") else "conv"
    forward = None if own == form else packaged(form)
    model = Llama(settings["dim"], settings["layers"], settings["length"], settings["vocabulary"], own)
    if forward:
        for module in model.modules():
            if isinstance(module, Canon):
                module.forward = forward.__get__(module)
    if settings["precision"] == "master":
        model.head.__class__ = WideHead
    return model.to(DEVICE)


def make_batch(settings):
    """Tokens and targets."""
    if settings.get("rows"):
        from safetensors.torch import load_file

        found = load_file(settings["rows"])
        return found["tokens"], found["targets"]
    rows = torch.randint(settings["vocabulary"], (settings["batch"], settings["length"] + 1))
    return rows[:, :-1], rows[:, 1:]


class Optimizer:
    """Clipping and AdamW on f32 weights; with `masters` the model's weights are bf16 and follow them."""

    def __init__(self, model, masters, capturable):
        self.params = list(model.parameters())
        self.masters = [p.detach().float().clone() for p in self.params] if masters else None
        self.owned = self.masters or self.params
        if masters:
            for master in self.masters:
                master.grad = torch.zeros_like(master)
        self.adamw = torch.optim.AdamW(self.owned, lr=1e-4, betas=(0.9, 0.98), eps=1e-6, weight_decay=0.1, fused=True,
                                       capturable=capturable)  # fmt: skip

    @torch.no_grad()
    def step(self):
        torch.nn.utils.clip_grad_norm_(self.params, 1.0, foreach=True)
        if self.masters:
            torch._foreach_copy_([m.grad for m in self.masters], [p.grad for p in self.params])
        self.adamw.step()
        if self.masters:
            torch._foreach_copy_(self.params, self.masters)


class Worker:
    def __init__(self, settings):
        self.settings, self.graph = settings, None
        torch.manual_seed(0)
        self.model = make_model(settings)
        if settings.get("weights"):
            from safetensors.torch import save_file

            named = self.model.stretto_weights()
            save_file({name: value.detach().contiguous() for name, value in named.items()}, settings["weights"] + ".partial")
            os.replace(settings["weights"] + ".partial", settings["weights"])
        masters = settings["precision"] == "master"
        captured = settings["mode"] == "graph" and GPU
        self.optimizer = Optimizer(self.model, masters, captured)
        if masters:
            self.model.bfloat16()
            self.optimizer.params = list(self.model.parameters())
        self.amp = contextlib.nullcontext if masters else lambda: torch.autocast(DEVICE, torch.bfloat16)
        backends = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION]
        if settings["attention"] == "flash":
            backends.reverse()
        self.attention = (lambda: sdpa_kernel(backends, set_priority=True)) if GPU else contextlib.nullcontext
        self.batch = [rows.to(DEVICE).long() for rows in make_batch(settings)]
        self.forward = self.model
        if settings["mode"] != "eager":
            torch._dynamo.config.cache_size_limit = 64
            self.forward = torch.compile(self.model, dynamic=False, mode=MODES[settings["mode"]])

    def plain_step(self):
        if self.settings["mode"] == "reduce-overhead":
            torch.compiler.cudagraph_mark_step_begin()
        with self.amp(), self.attention():
            loss = self.forward(*self.batch)
        loss.backward()
        self.optimizer.step()
        loss = loss.detach().clone()
        for p in self.optimizer.params:
            p.grad = None
        return loss

    def capture(self):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self.plain_step()
        torch.cuda.current_stream().wait_stream(stream)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = self.plain_step()

    def step(self):
        if not self.graph:
            return self.plain_step()
        self.graph.replay()
        return self.loss

    def time(self, count):
        """Seconds of each step. One more comes before them and takes back the memory that was given up."""
        self.step()
        synchronize()
        start = time.perf_counter()
        for _ in range(count):
            loss = self.step()
        loss = loss.item()
        seconds = (time.perf_counter() - start) / count
        return {"seconds": [seconds] * count, "loss": loss}

    def memory(self):
        if not GPU:
            return {"measured": 0}
        torch.cuda.reset_peak_memory_stats()
        self.step()
        synchronize()
        peak = torch.cuda.max_memory_allocated()
        return {"measured": max(peak, torch.cuda.memory_reserved()) if self.graph else peak}


def synchronize():
    if GPU:
        torch.cuda.synchronize()


def give_up_memory():
    """Others have their turn: only what has to stay does."""
    if GPU:
        torch.cuda.empty_cache()


def main(path):
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    tell = lambda value: print(json.dumps(value), file=answers, flush=True)
    if not GPU:
        torch.set_num_threads(1)
    worker = Worker(settings)
    start = time.perf_counter()
    loss = worker.step().item()
    first = time.perf_counter() - start
    for _ in range(2):
        again = worker.time(1)["seconds"][0]
    if settings["mode"] == "graph" and GPU:
        worker.capture()
    worker.time(2)
    give_up_memory()
    tell({"compile_seconds": max(0.0, first - again), "loss": loss})
    for line in sys.stdin:
        words = line.split()
        answer = worker.memory() if words == ["memory"] else worker.time(int(words[1]))
        give_up_memory()
        tell(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
