"""What a compiled model launches at a site of sites.stretto or mixers.stretto."""
import ctypes
import re
from dataclasses import dataclass

import abi
from products import NAME

ENTRY, REPEATED = "gradients", "sites."  # where launches come from; kernels of the repeated body begin so


@dataclass
class Launch:
    kernel: abi.Kernel
    buffers: list
    results: list  # stretto_result of each tensor of reals that it writes

    @property
    def name(self):
        return self.kernel.name.decode()

    def bytes_of(self, number):
        """How many bytes of a buffer it may touch."""
        if not self.kernel.buffer_bytes:
            raise RuntimeError(f"{self.name} does not say how many bytes of its buffers it touches")
        return abi.array(ctypes.c_int64, self.kernel.buffer_bytes, self.kernel.buffers)[number]


def record(model, shim):
    """The launches of a step, in order; nothing runs."""
    found, results = [], []

    def at(site):
        results[:] = abi.array(abi.Result, site[0].results, site[0].count)

    def launch(kernel, buffers):
        each = kernel[0]
        copies = [abi.Buffer.from_buffer_copy(buffers[i]) for i in range(each.buffers)]
        found.append(Launch(each, copies, list(results)))

    functions = {name: lambda *arguments: None for name, _ in abi.Calls._fields_} | {"at": at, "launch": launch}
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


def product_launches(model, shim):
    """{"forward": [Launch], "backward": ...}: the matmuls of products.py."""
    found = {"forward": [], "backward": []}
    for launch in record(model, shim):
        if launch.name.startswith(REPEATED) and launch.name.endswith(f".{NAME}"):
            found[launch.name.split(".")[1]].append(launch)
    return found


def site_launches(model, shim, site):
    """{"forward": [Launch], "backward": ...}: the kernels that compute a line of the site's block."""
    lines = lines_of(model.program.spec_text.decode(), f"{site}_site")
    found = {"forward": [], "backward": []}
    for launch in record(model, shim):
        places = [int(line) for line in re.findall(r":(\d+):\d+", launch.kernel.location.decode())]
        if launch.name.startswith(REPEATED) and any(line in lines for line in places):
            found[launch.name.split(".")[1]].append(launch)
    return found
