"""What a compiled model launches at a site of sites.stretto, and the memory it does that on."""
import ctypes
import re

import torch

import abi

ENTRY, REPEATED = "gradients", "sites."  # where launches come from; kernels of the repeated body begin so


def record(model, shim):
    """[(kernel, [buffer])] of a step, in order; nothing runs."""
    found = []

    def launch(kernel, buffers):
        each = kernel[0]
        found.append((each, [abi.Buffer.from_buffer_copy(buffers[i]) for i in range(each.buffers)]))

    functions = {name: lambda *arguments: None for name, _ in abi.Calls._fields_} | {"launch": launch}
    calls = abi.Calls(**{name: kind(functions[name]) for name, kind in abi.Calls._fields_})
    shim.shim_register(ctypes.byref(calls))
    model.call(ENTRY)
    return found


def lines_of(spec, block):
    """The numbers of the lines of a block of the model."""
    lines = spec.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(f"  block {block}("))
    last = next(i for i in range(first, len(lines)) if lines[i] == "  }")
    return range(first + 1, last + 2)


def site_launches(model, shim, site):
    """{"forward": [(name, [buffer])], "backward": ...}: the kernels that compute a line of the site's block."""
    lines = lines_of(model.program.spec_text.decode(), f"{site}_site")
    found = {"forward": [], "backward": []}
    for kernel, buffers in record(model, shim):
        name = kernel.name.decode()
        places = [int(line) for line in re.findall(r":(\d+):\d+", kernel.location.decode())]
        if name.startswith(REPEATED) and any(line in lines for line in places):
            found[name.split(".")[1]].append((name, buffers))
    return found


def random_bytes(count, device):
    """Memory that holds numbers whatever it is read as: bf16 near one, or f32 made of two of them."""
    return torch.empty(count // 2 + 64, device=device, dtype=torch.bfloat16).normal_().view(torch.uint8)


class Memory:
    """Arenas with random numbers. Activations lie there in some copies, which launches take in turns, so that none finds
    in a cache what the one before left."""

    def __init__(self, model, copies, device):
        sizes = model.program.arena_bytes
        self.arenas = {arena: [random_bytes(sizes[arena], device) for _ in range(copies if arena == abi.ACTIVATIONS else 1)]
                       for arena in range(len(sizes)) if arena != abi.GRADIENTS}  # fmt: skip

    def address(self, buffer, copy):
        """Gradients lie among the activations."""
        arena = abi.ACTIVATIONS if buffer.arena == abi.GRADIENTS else buffer.arena
        copies = self.arenas[arena]
        return copies[copy % len(copies)].data_ptr() + buffer.offset


class Kernels:
    """The kernels of a site in a model of `layers` layers, forward and backward."""

    def __init__(self, model, shim, site, device, copies, layers):
        self.device, self.copies, self.layers = device, copies, layers
        device.load(model)
        self.launches = site_launches(model, shim, site)
        self.memory = Memory(model, copies, "cuda" if torch.cuda.is_available() else "cpu")
        if any(not found or len(found) % layers for found in self.launches.values()):
            raise RuntimeError(f"the launches of {site} do not come in {layers} layers: {self.launches}")

    @property
    def calls(self):
        """How often run() passes the site."""
        return self.copies * self.layers

    def bytes_moved(self, way):
        """By one pass of the site."""
        return sum(self.device.kernels[name].bytes_moved for name, _ in self.launches[way]) / self.layers

    def run(self, way):
        launches = self.launches[way]
        for first in range(0, len(launches), len(launches) // self.layers):
            for copy in range(self.copies):
                for name, buffers in launches[first : first + len(launches) // self.layers]:
                    self.device.launch(name, [self.memory.address(each, copy) for each in buffers])
