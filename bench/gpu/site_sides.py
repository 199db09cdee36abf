"""What is timed of a site in one process: sides that take turns, ours on a GPU or the emulator, a large copy; and the answers."""
import ctypes
import json
import sys
import time

import torch

import setting  # finds test/gpu
from devices import CudaDevice, EmulatedDevice, Emulator
from timing import GPU, Side, take_turns

DEVICE = "cuda" if GPU else "cpu"


def load_shim(folder):
    """What a prepared folder has to hand on the calls of a model."""
    ctypes.CDLL("libm.so.6", ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(f"{folder}/kernels/libshim.so", ctypes.RTLD_GLOBAL)


def load_emulator(folder):
    """What stands in for a GPU, where there is none."""
    return None if GPU else Emulator(ctypes.CDLL(f"{folder}/lib/libstretto_emulator.so", ctypes.RTLD_GLOBAL))


def device_for(emulator):
    """What runs the kernels of one model."""
    return CudaDevice() if GPU else EmulatedDevice(emulator)


class Sides:
    """`sides` by name, and what is known of them: `facts`, with the bytes that some move; `problems` by side."""

    def __init__(self, settings):
        self.settings, self.sides, self.facts, self.problems = settings, {}, {"bytes": {}}, {}
        self.end, folder = time.monotonic() + settings["seconds"], settings["folder"]
        self.shim, self.emulator = load_shim(folder), load_emulator(folder)

    def add(self, name, function, calls, **how):
        side = self.sides[name] = Side(function, calls, **how)
        if side.problem:
            self.problems[name] = side.problem

    def device(self):
        return device_for(self.emulator)

    def add_copy(self):
        count = 1 << (18 if self.settings["small"] else 28)
        a, b = (torch.empty(count, dtype=torch.float32, device=DEVICE).normal_() for _ in range(2))
        self.add("copy", lambda: b.copy_(a), 1, is_captured=False)  # in a graph other units might do it
        self.facts["bytes"]["copy"] = 2 * 4 * count


def answer(path, make):
    """Prints what is ready, `make(settings)`, then answers `measure ROUNDS SECONDS` by seconds of one pass of each side."""
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    tell = lambda value: print(json.dumps(value), file=answers, flush=True)
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    if not GPU:
        torch.set_num_threads(1)
    site = make(settings)
    if GPU:
        torch.cuda.empty_cache()
    tell(site.facts | {"problems": site.problems})
    for line in sys.stdin:
        rounds, limit = line.split()[1:]
        tell({"samples": take_turns(site.sides, int(rounds), float(limit))})
