"""One site of sites.stretto in the epilogue of a matmul, the same matmul alone, and kernels apart, in one process.

    fused_worker.py SETTINGS.json

Settings: site and its sizes, batch, length, layers, copies, small, seconds as for site_worker.py; ways; models ({"fused": FILE, "product":
FILE, "apart": FILE}: the site in epilogues, these matmuls without a body, and the site in kernels of its own). Sides, forward and backward:
"fused"; "product", our matmul alone, whose result is compared with one in f64; "library", cuBLASLt's; "apart", cuBLASLt's and the kernels.
"""
import sys

import torch

import setting  # finds test/gpu
import abi
from launches import product_launches, site_launches
from site_kernels import Kernels
from site_sides import DEVICE, Sides, answer

ERROR = 4e-3  # of the norm: a rounding to bf16 is 2e-3 at most


class LibraryMatmul:
    """cuBLASLt's matmul of bf16 on some sets of operands."""

    def __init__(self, rows, terms, columns, is_transposed, sets):
        random = lambda *shape: torch.randn(*shape, device=DEVICE, dtype=torch.bfloat16)
        self.flops, self.bytes = 2 * rows * terms * columns, 2 * (rows * terms + terms * columns + rows * columns)
        self.sets = []
        for _ in range(sets):
            weight = random(columns, terms).t() if is_transposed else random(terms, columns)
            self.sets.append((random(rows, terms), weight, random(rows, columns)))

    def run(self, number):
        x, weight, y = self.sets[number]
        torch.mm(x, weight, out=y)

    def run_all(self):
        for number in range(len(self.sets)):
            self.run(number)


class FusedSite(Sides):
    def __init__(self, settings):
        super().__init__(settings)
        torch.backends.cuda.preferred_blas_library("cublaslt")
        self.facts |= {"flops": {}, "errors": {}}
        self.matmuls = {way: self.matmul(way) for way in settings["ways"]}
        site = settings["site"]
        self.add_kernels("fused", lambda model: site_launches(model, self.shim, site))
        self.check_products(self.add_kernels("product", lambda model: product_launches(model, self.shim)))
        for way, matmul in self.matmuls.items():
            self.add_side("library", way, matmul.run_all, len(matmul.sets), matmul.bytes)
        self.add_kernels("apart", lambda model: site_launches(model, self.shim, site), self.matmuls)
        self.add_copy()

    def matmul(self, way):
        """The one in front of the site; backward the input gradient of the one behind it."""
        s = self.settings
        columns = s["width"] if way == "forward" else s["width"] // 2
        return LibraryMatmul(s["batch"] * s["length"], s["dim"], columns, way == "forward", s["layers"] * s["copies"])

    def add_side(self, kind, way, run, calls, moved):
        name = f"{kind} {way}"
        self.add(name, run, calls)
        self.facts["flops"][name], self.facts["bytes"][name] = self.matmuls[way].flops, moved

    def add_kernels(self, kind, find, matmuls=None):
        """Kernels of a model, in front of each pass a matmul of cuBLASLt's, by way."""
        s, model = self.settings, abi.Model(self.settings["models"][kind])
        found = find(model)
        kernels = Kernels(model, {way: found[way] for way in s["ways"]}, self.device(), s["copies"], s["layers"])
        for way in s["ways"]:
            before, moved = (matmuls[way].run, matmuls[way].bytes) if matmuls else (lambda number: None, 0)
            self.add_side(kind, way, lambda way=way, before=before: kernels.run(way, before), kernels.calls,
                          kernels.bytes_moved(way) + moved)  # fmt: skip
        return kernels

    def check_products(self, kernels):
        for way, matmul in self.matmuls.items():
            x, weight, y = matmul.sets[0]
            launch = kernels.launches[way][0]
            result = launch.results[0].buffer
            operand = lambda number, like: kernels.memory.tensor(launch.buffers[number], 0, like)
            kernels.device.launch(launch.name, [kernels.memory.address(buffer, 0) for buffer in launch.buffers])
            expected = operand(0, x).double() @ operand(1, weight).double()
            error = ((operand(result, y).double() - expected).norm() / expected.norm()).item()
            self.facts["errors"][f"product {way}"] = {"result": error}
            if not error <= ERROR:
                raise RuntimeError(f"the matmul of {launch.name} is {error:.1e} of its norm away from one in f64")


if __name__ == "__main__":
    answer(sys.argv[1], FusedSite)
