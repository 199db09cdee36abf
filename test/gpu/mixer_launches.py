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
FACTORS = (BATCH, HEADS, KEYS)
PARTS = ((*ROWS, HEADS, KEYS), F32)  # what each head adds to the gradient of what a group shares
VALUES_OF = dict(zip("qkvgs", INPUTS)) | {  # by name
    "out": INPUTS[2], "grad": INPUTS[2], "saved": (STATES, F32), "all": (STATES, B16), "ends": (STATES, F32), "factors": (FACTORS, F32),
    "between": (STATES, F32), "dq": PARTS, "dk": PARTS, "dv": INPUTS[2], "dg": INPUTS[3], "ds": INPUTS[4], "sum": INPUTS[0], "late": INPUTS[3]}  # fmt: skip
PLACES = {"late": "dq"}  # each other value has a place of its own
# Of each kernel: operands, results.
KERNELS = {"sites.forward.walk0": ("k v g s", "ends factors"), "sites.forward.walk1": ("ends factors", "between"),
           "sites.forward.walk2": ("q k v g s between", "out saved"),
           "sites.backward.walk0": ("q g grad", "ends factors"), "sites.backward.walk1": ("ends factors", "between"),
           "sites.backward.walk2": ("k v g s saved", "all"),
           "sites.backward.walk3": ("q k v g s grad all between", "dq dk dv dg ds"), "sites.backward.blocks0": ("dq", "sum"),
           "sites.backward.blocks1": ("sum", "late")}  # fmt: skip
kept = []  # arrays that kernels point to


def launch_of(name, operands, results):
    def size(tensor):
        return torch.Size(tensor[0]).numel() * tensor[1].itemsize

    names = (operands + " " + results).split()
    counts = (ctypes.c_int64 * len(names))(*(size(VALUES_OF[each]) for each in names))
    kept.append(counts)
    kernel = abi.Kernel(name=name.encode(), buffers=len(names), buffer_bytes=ctypes.addressof(counts), bytes_moved=sum(counts))
    places = [abi.Buffer(arena=abi.ACTIVATIONS, offset=64 * list(VALUES_OF).index(PLACES.get(each, each))) for each in names]
    first = len(operands.split())
    written = [abi.Result(buffer=first + i, dtype=TYPES[VALUES_OF[each][1]]) for i, each in enumerate(results.split())]
    return Launch(kernel, places, written)


class Device:
    """Computes what the kernels would, and sees that they get what belongs together."""

    def __init__(self, error):
        self.error, self.sums = error, []

    def load(self, model):
        pass

    def launch(self, name, addresses):
        operands, results = (each.split() for each in KERNELS[name])
        tensors = [torch.frombuffer((ctypes.c_char * (torch.Size(shape).numel() * dtype.itemsize)).from_address(address),
                                    dtype=dtype).view(shape)
                   for (shape, dtype), address in zip(map(VALUES_OF.get, operands + results), addresses)]  # fmt: skip
        given, made = tensors[: len(operands)], tensors[len(operands) :]
        getattr(self, name.split(".")[1] + "_" + name.split(".")[2])(given, made)

    def forward_walk0(self, given, made):
        made[0].fill_(given[0].double().sum())
        made[1].fill_(given[3].double().sum())

    def walk1(self, given, made):
        made[0].fill_(given[0].flatten()[0] + given[1].flatten()[0])

    forward_walk1 = backward_walk1 = walk1

    def expect(self, found, first, second, what):
        wanted = (first.double().sum().float() + second.double().sum().float()).item()
        if not torch.all(found == wanted):
            sys.exit(f"{what} does not begin with what was made of its own set")

    def forward_walk2(self, given, made):
        *tensors, between = given
        self.expect(between, tensors[1], tensors[4], "the forward")
        made[0].copy_(operands.function("chunks")(*tensors)[0])
        made[1].fill_(tensors[0].double().sum())

    def backward_walk0(self, given, made):
        made[0].fill_(given[0].double().sum())
        made[1].fill_(given[2].double().sum())

    def backward_walk2(self, given, made):
        self.states = given[-1].clone()
        made[0].fill_(0.5 + len(self.sums))

    def backward_walk3(self, given, made):
        *tensors, gradient, states, between = given
        self.expect(between, tensors[0], gradient, "the gradient of the state")
        if not torch.all(self.states == tensors[0].double().sum()):
            sys.exit("the backward does not begin with the states of its own set")
        if not torch.all(states == 0.5 + len(self.sums)):
            sys.exit("the last walk does not read what the one before it wrote")
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

    def backward_blocks1(self, given, made):
        made[0].fill_(7)


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
if kernels.bytes_moved("forward") != sum(map(sum, kept[:3])):
    sys.exit("bytes are not those of one layer")
try:
    reference.check_kernels(kernels_with(1.2))
except RuntimeError as problem:
    if "stretto: the gradient of v is 2.0e-01 of its norm away" not in str(problem):
        sys.exit(f"another message: {problem}")
else:
    sys.exit("a wrong gradient passes")
