"""The kernels of a site of mixers.stretto, on the operands that PyTorch's forms have.

A walk is known by its name, `<function>.walk<n>`. The last one of a way takes its operands in the order of mixer_chains.NAMES, then
what belongs to it alone, then its results (docs/kernels-cuda.md); those before it, of spans and saved states, make what it begins with."""
import torch

import abi
from launches import site_launches

TYPES = {abi.F32: torch.float32, abi.BF16: torch.bfloat16}


def is_walk(launch):
    return launch.name.rpartition(".")[2].startswith("walk")


def place_of(buffer):
    return buffer.arena, buffer.offset


def operands_of(launch):
    """Numbers and places of the buffers that a launch reads."""
    written = {result.buffer for result in launch.results}
    return [(number, place_of(buffer)) for number, buffer in enumerate(launch.buffers) if number not in written]


class Memory:
    """Of the launches of one set: a tensor for each value, so that none overwrites another, whatever the planner does."""

    def __init__(self, device):
        self.device = device
        self.tensors, self.written = {}, {}  # by place, the last one there; of each launch, by the numbers of its buffers

    def bind(self, launch, given):
        """Addresses of a launch's buffers: those of `given`, by number, and of what earlier launches wrote; others hold random
        numbers, and results have memory of their own."""
        addresses, results, written = [], [result.buffer for result in launch.results], {}
        for number, buffer in enumerate(launch.buffers):
            key = place_of(buffer)
            if number in results or number not in given and key not in self.tensors:
                count = launch.bytes_of(number) // 2
                self.tensors[key] = torch.randn(count, device=self.device, dtype=torch.bfloat16).view(torch.uint8)
                written[number] = self.tensors[key]
            addresses.append((given[number] if number in given else self.tensors[key]).data_ptr())
        self.written[launch.name] = written
        return addresses

    def result(self, launch, number):
        """Where the `number`-th result is written, also if the planner gives its place to a later one."""
        result = launch.results[number]
        return self.written[launch.name][result.buffer].view(TYPES[result.dtype])


def parts_of(stored, operand):
    """The gradient of an operand, [batch, time, heads, parts, columns]: programs that share it have a part each, to be added up."""
    return stored.view(*operand.shape[:3], -1, *operand.shape[3:])


class MixerKernels:
    """One layer's kernels of a site, forward and backward, on all sets of operands in turn."""

    def __init__(self, model, shim, operands, device, layers):
        self.device, self.operands = device, operands
        device.load(model)
        found = site_launches(model, shim, operands.settings["site"])
        if any(not each or len(each) % layers for each in found.values()):
            names = {way: [launch.name for launch in each] for way, each in found.items()}
            raise RuntimeError(f"the launches of {operands.settings['site']} do not come in {layers} layers: {names}")
        self.launches = {way: each[: len(each) // layers] for way, each in found.items()}
        self.bound = {"forward": [], "backward": []}  # [(name, addresses)] of each set
        self.results, self.kept = [], []  # of each set: tensors by name; what keeps addresses alive
        for tensors, gradients in zip(operands.sets, operands.gradients):
            self.bind(tensors, gradients[0])

    @property
    def calls(self):
        """How often run() passes the site."""
        return len(self.operands.sets)

    def bytes_moved(self, way):
        """By one pass of the site."""
        return sum(launch.kernel.bytes_moved for launch in self.launches[way])

    def run(self, way):
        for launches in self.bound[way]:
            for name, addresses in launches:
                self.device.launch(name, addresses)

    def bind(self, tensors, gradient):
        found = {}
        states = self.bind_forward(tensors, found)
        self.bind_backward(tensors, gradient, states, found)
        self.results.append(found)

    def bind_forward(self, tensors, found):
        """Puts `out` among the results, and gives the states that the backward begins with."""
        last, memory = self.bind_way("forward", tensors)
        out, states = (memory.result(last, i) for i in range(2))
        found["out"] = out.view(tensors[2].shape)
        return states

    def bind_backward(self, tensors, gradient, states, found):
        """The last walk gives the gradients."""
        last, memory = self.bind_way("backward", (*tensors, gradient), states)
        found |= {name: parts_of(memory.result(last, i), tensors[i]) for i, name in enumerate(self.operands.names)}

    def bind_way(self, way, tensors, states=None):
        """The last walk takes all tensors, in order; those before it take some, which lie at the same places. What else a walk
        takes was made by one before it, or is `states`."""
        memory, bound, launches = self.memory(), [], self.launches[way]
        last = [launch for launch in launches if is_walk(launch)][-1]
        places = {place_of(buffer): tensor for buffer, tensor in zip(last.buffers, tensors)}
        for launch in launches:
            given = {}
            for number, place in operands_of(launch) if is_walk(launch) else ():
                if place in places or place not in memory.tensors:
                    given[number] = places.get(place, states)
            bound.append((launch.name, memory.bind(launch, given)))
        self.bound[way].append(bound)
        return last, memory

    def memory(self):
        self.kept.append(Memory(self.operands.sets[0][0].device))
        return self.kept[-1]
