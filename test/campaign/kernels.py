"""Random models for CUDA: each of their kernels, on the emulator, against what its operation means. Case i is the model of seed
i; half of them are of bf16, with kernels of rows in matmuls wherever they can be."""
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "support"))
from random_specs import EIGHTS, random_spec

CASES, SHORT = 1000, 8
TYPES = [["--dtype=bf16", "--fuse=always"], ["--dtype=f32"], ["--dtype=bf16", "--fuse=always"], ["--dtype=bf16"],
         ["--dtype=bf16", "--fuse=always"], ["--dtype=f64"]]  # fmt: skip


def options_of(number, spec):
    """What the model of a number is compiled with; of each type some have documents that share rows, and some save more."""
    _, batch, length, vocabulary = spec
    options = [*TYPES[number % len(TYPES)], f"--batch={batch}", f"--length={length}", f"--vocab={vocabulary}"]
    return options + ["--mask-documents"] * (number % 5 == 2) + ["--memory-budget=1G"] * (number % 7 == 0)


class Kernels:
    def __init__(self, tools):
        self.folder = tools.folder("kernels")
        self.check_kernels = os.path.join(tools.build, "test", "unit", "stretto-check-cuda-kernels")

    def check(self, number):
        spec = random_spec(number, wide=True, sizes=EIGHTS)
        path, module = (os.path.join(self.folder, f"model.{kind}") for kind in ("stretto", "mlir"))
        with open(path, "w") as file:
            file.write(spec[0])
        command = ["stretto-compile", path, *options_of(number, spec), "--target=cuda", "--emulate", "--emit=kernels", "-o", module]
        counts, said = {"models": 1}, subprocess.run(command, capture_output=True, text=True)
        if said.returncode == 0:
            said = subprocess.run([self.check_kernels, module], capture_output=True, text=True)
        right = re.search(r"^(\d+) kernels, 0 of them wrong$", said.stdout, re.M)
        if said.returncode != 0 or not right:
            return counts, [f"status {said.returncode}", (said.stdout + said.stderr)[:3000], " ".join(command), spec[0]]
        with open(module) as file:
            matmuls = file.read().count("kern.matmul kernel")
        return {**counts, "kernels": int(right[1]), "of them in matmuls": matmuls}, []
