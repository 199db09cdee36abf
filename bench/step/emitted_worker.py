"""The PyTorch file that --emit=pytorch wrote, in a process of its own; answers the requests of `PROGRAM --bench`.

    emitted_worker.py FILE MODE DATA WEIGHTS THREADS    MODE: eager, compile, autotune

What it writes and prints is that of pytorch_worker.py.
"""
import importlib.util
import inspect
import sys

import torch
import torch.nn.functional as F
from torch import nn

from pytorch_worker import Worker, serve


def read(path):
    """The module of a file; torch.compile looks for it by its name."""
    found = importlib.util.spec_from_file_location("emitted", path)
    module = importlib.util.module_from_spec(found)
    sys.modules["emitted"] = module
    found.loader.exec_module(module)
    return module


def with_tables(turns):
    """`rotary_turns` with tables that are made once, as one would write it for speed."""
    tables = {}

    def look_up(length, rotated, theta, like, positions=None):
        key = (length, rotated, theta)
        if key not in tables:
            tables[key] = turns(length, rotated, theta, like, positions)
        return tables[key]

    return look_up


class Loss(nn.Module):
    """The loss of the one model of an emitted file."""

    def __init__(self, module):
        super().__init__()
        if hasattr(module, "rotary_turns"):
            module.rotary_turns = with_tables(module.rotary_turns)
        models = [each for each in vars(module).values() if isinstance(each, type) and issubclass(each, module.Weights)]
        self.outputs = next(each for each in models if each is not module.Weights)()
        self.takes_targets = "targets" in inspect.signature(self.outputs.forward).parameters

    def forward(self, tokens, targets):
        more = {"targets": targets} if self.takes_targets else {}
        outputs = self.outputs(tokens, **more)
        logits, *added = outputs if isinstance(outputs, tuple) else (outputs,)
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten())
        return loss + added[0].mean() if added else loss

    def stretto_weights(self):
        return dict(self.outputs.named_parameters())


def main():
    path, mode, data, weights, threads = sys.argv[1:]
    torch.set_num_threads(int(threads))
    torch.manual_seed(0)
    worker = Worker(Loss(read(path)), mode, data)
    with torch.no_grad():
        worker.model(*worker.batch)  # makes the tables
    serve(worker, weights)


if __name__ == "__main__":
    main()
