"""Which memory bench/gpu/sites.py --mixers gives to the kernels of a mixer, and what it reads of them: on invented launches, whose
walks are PyTorch.

REQUIRES: runtime
RUN: %python %s %root
"""
import ctypes
import sys
from types import SimpleNamespace

sys.path[:0] = [f"{sys.argv[1]}/bench/gpu", f"{sys.argv[1]}/test/gpu"]
import abi
import mixer_kernels
import torch
from launches import Launch
from mixer_chains import MixerOperands
from mixer_check import Reference

torch.manual_seed(0)
BATCH, LENGTH, HEADS, GROUPS, KEYS, VALUES = 2, 64, 4, 2, 8, 6
SETTINGS = {"site": "ssd", "batch": BATCH, "length": LENGTH, "heads": HEADS, "keys": KEYS, "values": VALUES, "groups": GROUPS}
ROWS, STATES = (BATCH, LENGTH), (BATCH, HEADS, KEYS * VALUES)
TYPES = {torch.bfloat16: abi.BF16, torch.float32: abi.F32}
B16, F32 = torch.bfloat16, torch.float32
INPUTS = [((*ROWS, GROUPS, KEYS), B16), ((*ROWS, GROUPS, KEYS), B16), ((*ROWS, HEADS, VALUES), B16), ((*ROWS, HEADS), F32),
          ((*ROWS, HEADS), F32)]  # fmt: skip
OUT, SAVED, ALL = ((*ROWS, HEADS, VALUES), B16), (STATES, F32), (STATES, B16)
PARTS = ((*ROWS, HEADS, KEYS), F32)  # what each head adds to the gradient of what a group shares
GRADIENTS = [PARTS, PARTS, *INPUTS[2:]]
SUM = INPUTS[0]
# Of each kernel: operands, results. All lie at the same places of the arena, as a planner may have it.
KERNELS = {"sites.forward.walk0": (INPUTS, [OUT, SAVED]), "sites.backward.walk0": ([*INPUTS[1:], SAVED], [ALL]),
           "sites.backward.walk1": ([*INPUTS, OUT, ALL], GRADIENTS), "sites.backward.blocks0": ([PARTS], [SUM])}  # fmt: skip
kept = []  # arrays that kernels point to


def launch_of(name, operands, results):
    def size(tensor):
        return torch.Size(tensor[0]).numel() * tensor[1].itemsize

    tensors = operands + results
    counts = (ctypes.c_int64 * len(tensors))(*map(size, tensors))
    kept.append(counts)
    kernel = abi.Kernel(name=name.encode(), buffers=len(tensors), buffer_bytes=ctypes.addressof(counts), bytes_moved=sum(counts))
    places = [abi.Buffer(arena=abi.ACTIVATIONS, offset=64 * i) for i in range(len(tensors))]
    if "blocks" in name:
        places[0].offset = 64 * len(KERNELS["sites.backward.walk1"][0])  # the first result of the walk
    written = [abi.Result(buffer=len(operands) + i, dtype=TYPES[dtype]) for i, (_, dtype) in enumerate(results)]
    return Launch(kernel, places, written)


class Device:
    """Computes what the kernels would, and sees that they get what belongs together."""

    def __init__(self, error):
        self.error, self.sums = error, []

    def load(self, model):
        pass

    def launch(self, name, addresses):
        operands, results = KERNELS[name]
        tensors = [torch.frombuffer((ctypes.c_char * (torch.Size(shape).numel() * dtype.itemsize)).from_address(address),
                                    dtype=dtype).view(shape) for (shape, dtype), address in zip(operands + results, addresses)]  # fmt: skip
        given, made = tensors[: len(operands)], tensors[len(operands) :]
        getattr(self, name.split(".")[1] + "_" + name.split(".")[2])(given, made)

    def forward_walk0(self, given, made):
        made[0].copy_(operands.function("chunks")(*given)[0])
        made[1].fill_(given[0].double().sum())

    def backward_walk0(self, given, made):
        self.states = given[-1].clone()
        made[0].fill_(0.5 + len(self.sums))

    def backward_walk1(self, given, made):
        *tensors, gradient, states = given
        if not torch.all(self.states == tensors[0].double().sum()):
            sys.exit("the backward does not begin with the states of its own set")
        if not torch.all(states == 0.5 + len(self.sums)):
            sys.exit("the second walk does not read what the first one wrote")
        leaves = [x.detach().requires_grad_() for x in tensors]
        found = torch.autograd.grad(operands.function("chunks")(*leaves), leaves, [gradient])
        for to, value in zip(made, found):
            if value.shape != to.shape:  # all of it in the part of the second head
                to.zero_()
                to.view(*ROWS, GROUPS, -1, KEYS)[:, :, :, 1] = value
            else:
                to.copy_(value)
        made[2].mul_(self.error)

    def backward_blocks0(self, given, made):
        self.sums.append(given[0].clone())


def kernels_with(error):
    found = {"forward": [], "backward": []}
    for name, tensors in KERNELS.items():
        found[name.split(".")[1]] += [launch_of(name, *tensors)]
    mixer_kernels.site_launches = lambda model, shim, site: {way: 2 * launches for way, launches in found.items()}
    return mixer_kernels.MixerKernels(SimpleNamespace(), None, operands, Device(error), 2)


operands = MixerOperands(SETTINGS, 3, "cpu")
reference = Reference(operands)
kernels = kernels_with(1.0)
errors = reference.check_kernels(kernels)
if not all(abs(errors[name] - reference.errors[name]) < 2e-3 for name in errors):
    sys.exit(f"{errors}, but PyTorch's {reference.errors}")
if len(kernels.device.sums) != 3 or not torch.equal(kernels.device.sums[0], kernels.results[0]["q"].view(PARTS[0])):
    sys.exit("a kernel behind the walk does not read what the walk wrote")
if kernels.bytes_moved("forward") != sum(kept[0]):
    sys.exit("bytes are not those of one layer")
try:
    reference.check_kernels(kernels_with(1.2))
except RuntimeError as problem:
    if "stretto: the gradient of v is 2.0e-01 of its norm away" not in str(problem):
        sys.exit(f"another message: {problem}")
else:
    sys.exit("a wrong gradient passes")
