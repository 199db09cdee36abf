# REQUIRES: runtime
# RUN: %python3 %s %S/embed.mlir %S/spill.mlir %torch/../triton/backends/nvidia/bin/cuobjdump
"""What `kern-embed-cuda-binaries` reads from machine code is what cuobjdump reads from it, on chips old and new."""
import re
import subprocess
import sys
from pathlib import Path

KERNEL = re.compile(r'symbol "(\w+)" .* shared (\d+) registers (\d+) spills \d+ local (\d+)')
USAGE = re.compile(r"Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) ")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def image_of(module):
    """The bytes of the first image in the text of a module."""
    text = re.search(r'@stretto\.image\.0\("(.*?)"\)', module)[1]
    return re.sub(rb"\\([0-9A-F]{2}|\\)", lambda code: b"\\" if code[1] == b"\\" else bytes.fromhex(code[1].decode()),
                  text.encode("utf-8"))


def compare(source, chip, cuobjdump):
    module = run("stretto-opt", source, f"--kern-embed-cuda-binaries=chip={chip}")
    cubin = Path("image.cubin")
    cubin.write_bytes(image_of(module))
    ours = {name: (int(registers), int(local), int(shared)) for name, shared, registers, local in KERNEL.findall(module)}
    system = 1024 if chip.startswith("sm_9") else 0  # of the shared memory of each kernel that uses any
    theirs = {name: (int(registers), int(stack), max(0, int(shared) - system))
              for name, registers, stack, shared in USAGE.findall(run(cuobjdump, "--dump-resource-usage", cubin))}
    print(source, chip, ours, theirs)
    return ours and ours == theirs


sources, tool = sys.argv[1:-1], sys.argv[-1]
sys.exit(not all([compare(source, chip, tool) for source in sources for chip in ("sm_80", "sm_90", "sm_90a")]))
