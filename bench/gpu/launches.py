"""What a compiled model launches at a site of sites.stretto."""
import ctypes
import re

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
