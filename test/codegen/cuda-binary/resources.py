# REQUIRES: runtime
# RUN: %python3 %s %S/embed.mlir %S/spill.mlir %torch/../triton/backends/nvidia/bin
"""What `kern-embed-cuda-binaries` reads from machine code is what cuobjdump reads from it, on chips old and new. Its
PTX can be assembled for chips that came later."""
import re
import subprocess
import sys
from pathlib import Path

KERNEL = re.compile(r'symbol "(\w+)" .* shared (\d+) registers (\d+) spills \d+ local (\d+)')
USAGE = re.compile(r"Function (\w+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+) ")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def image_of(module, number):
    """The bytes of an image in the text of a module."""
    text = re.search(rf'@stretto\.image\.{number}\("(.*?)"\)', module)[1]
    return re.sub(rb"\\([0-9A-F]{2}|\\)", lambda code: b"\\" if code[1] == b"\\" else bytes.fromhex(code[1].decode()),
                  text.encode("utf-8"))


def resources_agree(source, chip, tools):
    module = run("stretto-opt", source, f"--kern-embed-cuda-binaries=chip={chip}")
    cubin = Path("image.cubin")
    cubin.write_bytes(image_of(module, 0))
    ours = {name: (int(registers), int(local), int(shared)) for name, shared, registers, local in KERNEL.findall(module)}
    system = 1024 if chip.startswith("sm_9") else 0  # of the shared memory of each kernel that uses any
    theirs = {name: (int(registers), int(stack), max(0, int(shared) - system))
              for name, registers, stack, shared in USAGE.findall(run(f"{tools}/cuobjdump", "--dump-resource-usage", cubin))}
    print(source, chip, ours, theirs)
    return ours and ours == theirs


def assembles_later(source, chip, tools):
    text = image_of(run("stretto-opt", source, "--kern-embed-cuda-binaries"), 1)
    Path("image.ptx").write_bytes(text.removesuffix(b"\0"))
    run(f"{tools}/ptxas", f"-arch={chip}", "-o", "later.cubin", "image.ptx")
    return text.endswith(b"\0")


sources, tools = sys.argv[1:-1], sys.argv[-1]
checks = [resources_agree(source, chip, tools) for source in sources for chip in ("sm_80", "sm_90", "sm_90a")]
checks += [assembles_later(source, chip, tools) for source in sources for chip in ("sm_89", "sm_120")]
sys.exit(not all(checks))
