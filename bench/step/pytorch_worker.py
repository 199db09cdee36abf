"""One PyTorch variant in a process of its own; answers the requests of `PROGRAM --bench`.

    pytorch_worker.py MODEL WIDTH FORM MODE DATA WEIGHTS THREADS    FORM: none, conv, shift; MODE: eager, compile, autotune

Writes its first weights to WEIGHTS under our names. Prints a line when it is ready: {"compile_seconds", "loss": of the first step}; then answers `time N` and `memory`.
"""
import json
import resource
import sys
import time

import torch
from safetensors.torch import load_file, save_file
from torch.profiler import ProfilerActivity, profile

from pytorch_mixers import KINDS, MixerModel
from pytorch_model import Llama
from sizes import SHAPES, VOCABULARY


def make(model, shape, form):
    width, layers, _, length = SHAPES[shape]
    if model == "llama":
        return Llama(width, layers, length, VOCABULARY, form)
    return MixerModel(KINDS[model], width, layers, VOCABULARY, form)


class Worker:
    """Steps of a model, which gives the loss of tokens and targets, in a mode."""

    def __init__(self, model, mode, data):
        self.model = model
        self.batch = [load_file(data)[name].long() for name in ("tokens", "targets")]
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-6,
                                           weight_decay=0.1, fused=True)
        self.forward = self.model
        if mode != "eager":
            torch._dynamo.config.cache_size_limit = 64
            self.forward = torch.compile(self.model, dynamic=False,
                                         mode="max-autotune-no-cudagraphs" if mode == "autotune" else "default")

    def step(self):
        loss = self.forward(*self.batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.item()

    def time(self, count):
        seconds, cpu = [], []
        for _ in range(count):
            start, cpu_start = time.perf_counter(), time.process_time()
            loss = self.step()
            seconds.append(time.perf_counter() - start)
            cpu.append(time.process_time() - cpu_start)
        return {"seconds": seconds, "cpu_seconds": cpu, "loss": loss}

    def memory(self):
        """Bytes of tensors: kept for the backward, and all at their highest in a step."""
        saved, own = {}, {p.untyped_storage().data_ptr() for p in self.model.state_dict().values()}

        def note(tensor):
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in own:
                saved[storage.data_ptr()] = storage.nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            loss = self.forward(*self.batch)
        saved_bytes = sum(saved.values())
        del loss
        lasting = sum(p.nbytes for p in self.model.state_dict().values()) + sum(t.nbytes for t in self.batch)
        lasting += sum(t.nbytes for state in self.optimizer.state.values() for t in state.values())
        return {"saved": saved_bytes, "measured": lasting + self.transient_peak(),
                "resident": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}

    def transient_peak(self):
        """The most bytes a step holds beside weights, moments and inputs: what the allocator reported."""
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            self.step()
        held = peak = 0
        events = [e for e in profiler.profiler.kineto_results.events() if e.name() == "[memory]"]
        for event in sorted(events, key=lambda e: e.start_ns()):
            held += event.nbytes()
            peak = max(peak, held)
        return peak


def serve(worker, weights):
    """Writes the first weights, takes the first steps, and answers requests until there are no more."""
    named = worker.model.stretto_weights()
    save_file({name: value.detach().contiguous() for name, value in named.items()}, weights)
    start = time.perf_counter()
    loss = worker.step()
    first = time.perf_counter() - start
    again = worker.time(2)["seconds"]
    print(json.dumps({"compile_seconds": max(0.0, first - min(again)), "loss": loss}), flush=True)
    for line in sys.stdin:
        words = line.split()
        print(json.dumps(worker.memory() if words == ["memory"] else worker.time(int(words[1]))), flush=True)


def main():
    model, shape, form, mode, data, weights, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.manual_seed(0)
    serve(Worker(make(model, shape, form), mode, data), weights)


if __name__ == "__main__":
    main()
