"""The kernels of a site of sites.stretto, and the memory they run on."""
import torch

import abi
from launches import site_launches


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
        return sum(launch.kernel.bytes_moved for launch in self.launches[way]) / self.layers

    def run(self, way):
        launches = self.launches[way]
        for first in range(0, len(launches), len(launches) // self.layers):
            for copy in range(self.copies):
                for launch in launches[first : first + len(launches) // self.layers]:
                    self.device.launch(launch.name, [self.memory.address(each, copy) for each in launch.buffers])
