"""One site of sites.stretto: our kernels with and without Canon, PyTorch's forms, and a large copy, in one process.

    site_worker.py SETTINGS.json

Settings: site, dim, heads, width, batch, length; folder (what test/gpu/prepare made), models ({"canon": FILE, "plain": FILE},
compiled sites of `layers` layers), copies (of their memory), small, seconds (in which it tries forms). Prints what is ready, then
answers `measure ROUNDS SECONDS` by seconds of one pass of each side.
"""
import ctypes
import json
import sys
import time

import torch

import setting  # finds test/gpu
import abi
from chains import Chain, Operands, forms
from devices import CudaDevice, EmulatedDevice, Emulator
from site_kernels import Kernels
from timing import GPU, Side, take_turns

DEVICE = "cuda" if GPU else "cpu"


class Site:
    def __init__(self, settings):
        self.settings, self.sides, self.facts, self.problems = settings, {}, {"bytes": {}}, {}
        self.end, folder = time.monotonic() + settings["seconds"], settings["folder"]
        self.shim = ctypes.CDLL(f"{folder}/kernels/libshim.so", ctypes.RTLD_GLOBAL)
        self.emulator = None if GPU else Emulator(ctypes.CDLL(f"{folder}/lib/libstretto_emulator.so", ctypes.RTLD_GLOBAL))
        ctypes.CDLL("libm.so.6", ctypes.RTLD_GLOBAL)
        for kind, path in settings["models"].items():
            self.add_ours(kind, path)
        self.operands = Operands(settings, settings["layers"] * settings["copies"], DEVICE)
        for form, compiled in forms(settings["small"]):
            self.try_chain(form, compiled)
        self.add_copy()

    def add(self, name, function, calls, **how):
        side = self.sides[name] = Side(function, calls, **how)
        if side.problem:
            self.problems[name] = side.problem

    def add_ours(self, kind, path):
        device = CudaDevice() if GPU else EmulatedDevice(self.emulator)
        kernels = Kernels(abi.Model(path), self.shim, self.settings["site"], device,
                          self.settings["copies"], self.settings["layers"])  # fmt: skip
        ways = {"forward": ["forward"], "backward": ["backward"], "both": ["forward", "backward"]}
        for way, parts in ways.items():
            self.add(f"{kind} {way}", lambda parts=parts: [kernels.run(part) for part in parts], kernels.calls)
            self.facts["bytes"][f"{kind} {way}"] = sum(map(kernels.bytes_moved, parts))

    def try_chain(self, form, compiled):
        """A form that fails leaves the others as they are."""
        name = f"{form} {'compiled' if compiled else 'eager'}"
        if time.monotonic() > self.end:
            self.problems[name] = "there was no time for it"
            return
        try:
            chain = Chain(self.operands, form, compiled)
            for way in ("forward", "both"):
                self.add(f"{name} {way}", lambda way=way: chain.run(way), len(self.operands.sets))
        except Exception as problem:
            self.problems[name] = f"{type(problem).__name__}: {str(problem)[-500:]}"
            for way in ("forward", "both"):
                self.sides.pop(f"{name} {way}", None)

    def add_copy(self):
        count = 1 << (18 if self.settings["small"] else 28)
        a, b = (torch.empty(count, dtype=torch.float32, device=DEVICE).normal_() for _ in range(2))
        self.add("copy", lambda: b.copy_(a), 1, is_captured=False)  # in a graph other units might do it
        self.facts["bytes"]["copy"] = 2 * 4 * count


def main(path):
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    tell = lambda value: print(json.dumps(value), file=answers, flush=True)
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    if not GPU:
        torch.set_num_threads(1)
    site = Site(settings)
    if GPU:
        torch.cuda.empty_cache()
    tell(site.facts | {"problems": site.problems})
    for line in sys.stdin:
        rounds, limit = line.split()[1:]
        tell({"samples": take_turns(site.sides, int(rounds), float(limit))})


if __name__ == "__main__":
    main(*sys.argv[1:])
