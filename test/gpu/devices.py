"""What kernels of a compiled model run on: the emulator, or a GPU through its driver."""
import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

MAX_DYNAMIC_SHARED_BYTES = 8  # of CUfunction_attribute


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
    """Kernels of a program's image, launched by the driver on memory of PyTorch's."""

    def __init__(self):
        torch.zeros(1, device="cuda")  # makes the context current
        self.name = torch.cuda.get_device_name()
        self.driver = ctypes.CDLL("libcuda.so.1")

    def call(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()} ({status})")

    def load(self, model):
        """The first image that the driver takes: machine code, else PTX."""
        self.kernels, self.functions, self.module, problems = model.kernels, {}, ctypes.c_void_p(), []
        for image in model.images:
            try:
                self.call("cuModuleLoadData", ctypes.byref(self.module), ctypes.c_void_p(image.data))
                self.name += f" ({image.architecture.decode()})"
                return
            except RuntimeError as error:
                problems.append(f"{image.architecture.decode()}: {error}")
        raise RuntimeError("no image can be loaded: " + "; ".join(problems))

    def run(self, name, host, places):
        """As that of EmulatedDevice. Arenas that a launch leaves as they are do not come back from the GPU: they are `host`'s."""
        start, results = [torch.from_numpy(each).to("cuda") for each in host], []
        for _ in range(2):
            results.append([each.clone() for each in start])
            self.launch(name, [results[-1][arena].data_ptr() + offset for arena, offset in places])
            torch.cuda.synchronize()
        found = [old if torch.equal(a, b) else b.cpu().numpy() for old, a, b in zip(host, start, results[0])]
        return found, all(torch.equal(a, b) for a, b in zip(*results))

    def function(self, name):
        if name not in self.functions:
            self.functions[name] = ctypes.c_void_p()
            self.call("cuModuleGetFunction", ctypes.byref(self.functions[name]), self.module, self.kernels[name].symbol)
            if shared := self.kernels[name].dynamic_shared_bytes:  # more than 48 KiB must be asked for
                self.call("cuFuncSetAttribute", self.functions[name], MAX_DYNAMIC_SHARED_BYTES, ctypes.c_int(shared))
        return self.functions[name]

    def launch(self, name, addresses):
        """Puts a launch on PyTorch's current stream."""
        kernel = self.kernels[name]
        pointers = [ctypes.c_void_p(address) for address in addresses]
        arguments = (ctypes.c_void_p * len(pointers))(*(ctypes.cast(ctypes.pointer(p), ctypes.c_void_p) for p in pointers))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        self.call("cuLaunchKernel", self.function(name), *map(ctypes.c_uint, (kernel.grid[0], kernel.grid[1], 1, kernel.block, 1, 1, kernel.dynamic_shared_bytes)),
                  stream, arguments, None)  # fmt: skip
