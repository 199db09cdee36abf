"""What kernels of a compiled model run on: the emulator, or a GPU through its driver."""
import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from driver import Driver


class Emulator:
    """Kernels as functions of the host, run by the emulator."""

    def __init__(self, library):
        self.library = library
        self.pool = ThreadPoolExecutor(os.cpu_count())

    def launch(self, kernel, addresses, seed=0):
        self.library.stretto_emulator_set_seed(ctypes.c_uint64(seed))
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)(kernel.function)
        buffers = (ctypes.c_void_p * len(addresses))(*addresses)
        pieces = np.linspace(0, kernel.chunks, min(kernel.chunks, 2 * os.cpu_count()) + 1).astype(int)
        work = [self.pool.submit(function, buffers, int(a), int(b), None) for a, b in zip(pieces, pieces[1:])]
        for each in work:
            each.result()


class EmulatedDevice:
    """Stands in for a GPU."""

    name = "the emulator in another order"

    def __init__(self, emulator):
        self.emulator = emulator

    def load(self, model):
        self.kernels = model.kernels

    def run(self, kernel, host, places):
        """What the arenas hold after a launch, and whether a second launch gives the same bits."""
        results = []
        for seed in (7, 8):
            results.append([each.copy() for each in host])
            addresses = [results[-1][arena].ctypes.data + start for arena, start in places]
            self.emulator.launch(self.kernels[kernel], addresses, seed)
        return results[0], all(np.array_equal(a, b) for a, b in zip(*results))

    def launch(self, name, addresses):
        self.emulator.launch(self.kernels[name], addresses)


class CudaDevice:
    """Kernels of a program's image, launched by the driver on memory of PyTorch's. `memory`, `driver`: elsewhere than on a GPU,
    what stands in for it."""

    def __init__(self, memory="cuda", driver="libcuda.so.1"):
        self.memory, self.on_gpu = memory, memory == "cuda"
        torch.zeros(1, device=memory)  # makes the context current
        self.name = torch.cuda.get_device_name() if self.on_gpu else driver
        self.driver = Driver(driver)

    def load(self, model):
        self.kernels = model.kernels
        self.name += f" ({self.driver.load(model.images)})"

    def run(self, name, host, places):
        """As that of EmulatedDevice. Arenas that a launch leaves as they are do not come back from the GPU: they are `host`'s."""
        start, results = [torch.from_numpy(each).to(self.memory) for each in host], []
        for _ in range(2):
            results.append([each.clone() for each in start])
            self.launch(name, [results[-1][arena].data_ptr() + offset for arena, offset in places])
            if self.on_gpu:
                torch.cuda.synchronize()
        found = [old if torch.equal(a, b) else b.cpu().numpy() for old, a, b in zip(host, start, results[0])]
        return found, all(torch.equal(a, b) for a, b in zip(*results))

    def launch(self, name, addresses):
        """Puts a launch on PyTorch's current stream."""
        self.driver.launch(self.kernels[name], addresses, torch.cuda.current_stream().cuda_stream if self.on_gpu else None)
