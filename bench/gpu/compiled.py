"""Kernels of a module as stretto-opt prints it: how each is launched, and its machine code."""
import glob
import math
import re
import shutil
import subprocess
import tempfile
from types import SimpleNamespace

from sass import functions
from setting import ROOT

WHEEL = f"{ROOT}/.deps/venv/lib/python*/site-packages/triton/backends/nvidia/bin/nvdisasm"
NVDISASM = shutil.which("nvdisasm") or next(iter(glob.glob(WHEEL)), "nvdisasm")
PASSES = ["choose-cuda-schedule", "name-cuda-kernels", "lower-cuda-kernels", "embed-cuda-binaries"]
KERNEL = re.compile(rb'kern\.device_kernel @(\S+) symbol "(\S+)" grid \[(\d+), (\d+)\] block (\d+)(?: cluster (\d+))? shared (\d+)(?: dynamic_shared (\d+))? '
                    rb"registers (\d+) spills (\d+) local \d+ bytes_moved (\d+) flops (\d+)(?: tensor_maps \[(.*)\])?")  # fmt: skip
BOX = re.compile(rb"#kern\.tensor_map<buffer \d+, [a-z]+(\d+), .*?box \[([\d, ]+)\]")
IMAGE = re.compile(rb'@stretto\.image\.0\("((?:[^"\\]|\\.)*)"\)')


def compile_kernels(build, module, *passes):
    """The text of a module of operations, made into kernels by `passes` and those that all need."""
    command = [f"{build}/bin/stretto-opt", *(f"--kern-{name}" for name in (*passes, *PASSES))]
    return subprocess.run(command, input=module.encode(), stdout=subprocess.PIPE, check=True).stdout


def bytes_of(text):
    """Of a string as MLIR prints it."""
    return re.sub(rb"\\(\\|[0-9A-F]{2})", lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 16)]), text)


def disassemble(cubin):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        listing = subprocess.run([NVDISASM, "-c", file.name], capture_output=True, text=True, check=True)
    return functions(listing.stdout)


def boxes_of(maps):
    """Bytes that a copy brings, by tensor map."""
    return [math.prod(map(int, box.split(b","))) * int(bits) // 8 for bits, box in BOX.findall(maps)]


def kernels_of(text):
    """(kernel, code) in the order of the module."""
    code = disassemble(bytes_of(IMAGE.search(text)[1]))
    for found in KERNEL.finditer(text):
        name, symbol = (group.decode() for group in found.groups()[:2])
        x, y, block, cluster, shared, dynamic, registers, spills, moved, flops = (int(group or 0) for group in found.groups()[2:-1])
        yield SimpleNamespace(name=name, grid=(x, y), block=block, cluster=cluster, boxes=boxes_of(found.groups()[-1] or b""), shared_bytes=shared, dynamic_shared_bytes=dynamic, registers=registers,
                              spill_bytes=spills, bytes_moved=moved, flops=flops), code[symbol]  # fmt: skip
