"""The kernels of a site of sites.stretto, and the memory they run on."""
import torch

import abi


def random_bytes(count, device):
    """Memory that holds numbers whatever it is read as: bf16 near one, or f32 made of two of them."""
    return torch.empty(count // 2 + 64, device=device, dtype=torch.bfloat16).normal_().view(torch.uint8)


class Memory:
    """Arenas with random numbers. Activations lie there in some copies, which launches take in turns, so that none finds
    in a cache what the one before left."""

    def __init__(self, model, copies, device):
        self.gradients_begin = model.program.gradients_begin
        sizes = model.program.arena_bytes
        self.arenas = {arena: [random_bytes(sizes[arena], device) for _ in range(copies if arena == abi.ACTIVATIONS else 1)]
                       for arena in range(len(sizes)) if arena != abi.GRADIENTS}  # fmt: skip

    def bytes_from(self, buffer, copy):
        """The bytes of its arena from a buffer on. Gradients lie among the activations."""
        is_gradient = buffer.arena == abi.GRADIENTS
        copies = self.arenas[abi.ACTIVATIONS if is_gradient else buffer.arena]
        return copies[copy % len(copies)][buffer.offset + (self.gradients_begin if is_gradient else 0) :]

    def address(self, buffer, copy):
        return self.bytes_from(buffer, copy).data_ptr()

    def tensor(self, buffer, copy, like):
        """What lies in a buffer of bf16, of the shape and strides of another tensor."""
        whole = self.bytes_from(buffer, copy)[: 2 * like.numel()]
        return whole.view(torch.bfloat16).as_strided(like.shape, like.stride())


class Kernels:
    """Kernels of a model of `layers` layers: `launches`, by way, forward and backward."""

    def __init__(self, model, launches, device, copies, layers):
        self.device, self.launches, self.copies, self.layers = device, launches, copies, layers
        device.load(model)
        self.memory = Memory(model, copies, "cuda" if torch.cuda.is_available() else "cpu")
        if any(not found or len(found) % layers for found in launches.values()):
            raise RuntimeError(f"launches do not come in {layers} layers: {self.launches}")

    @property
    def calls(self):
        """How often run() passes the site."""
        return self.copies * self.layers

    def bytes_moved(self, way):
        """By one pass of the site."""
        return sum(launch.kernel.bytes_moved for launch in self.launches[way]) / self.layers

    def run(self, way, before=lambda number: None):
        """All passes of the site, `before` (the number of the pass) in front of each."""
        each = len(self.launches[way]) // self.layers
        for number in range(self.calls):
            layer, copy = divmod(number, self.copies)
            before(number)
            for launch in self.launches[way][layer * each : (layer + 1) * each]:
                self.device.launch(launch.name, [self.memory.address(buffer, copy) for buffer in launch.buffers])
