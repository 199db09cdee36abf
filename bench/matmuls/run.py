"""The matmuls of layers on the CPU, one thread, f32: our tiles, oneDNN's block matmul, MKL, in turns in one process.

    ninja -C build stretto_bench_matmuls && .deps/venv/bin/python bench/matmuls/run.py [--widths 64,256,768] [--rounds 15]

Outputs, gradients of inputs and of weights of the linear layers of Llama. Four sets of operands take turns, so that they come
from beyond the second-level cache. All ways must agree. Processor time; the best round of each way. ONEDNN_MAX_CPU_ISA=AVX2
in the environment keeps oneDNN to AVX2.
"""
import argparse
import ctypes
import os
import time

import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
WAYS = ("tiles", "brgemm", "mkl")  # the functions stretto_bench_... of the library
LAYERS = {64: (2048, 192), 256: (2048, 704), 768: (1024, 2048)}  # width -> tokens, columns of gate
SETS = 4


class Matmul(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("m", "n", "k", "transposes_a", "transposes_b")] + [
        (name, ctypes.c_void_p) for name in ("a", "b", "c")
    ]


def shapes_of(width):
    """Name, and m, n, k and which operands are transposes, of all matmuls of a layer."""
    tokens, gate = LAYERS[width]
    for layer, inputs, outputs in (("q k v", width, 3 * width), ("o", width, width), ("gate and up", width, 2 * gate),
                                   ("down", gate, width)):
        yield f"{layer}: output", (tokens, outputs, inputs, False, True)
        yield f"{layer}: gradient of the input", (tokens, inputs, outputs, False, False)
        yield f"{layer}: gradient of the weight", (outputs, inputs, tokens, True, False)


class Timed:
    """One matmul with sets of operands of its own."""

    def __init__(self, library, m, n, k, transposes_a, transposes_b):
        self.loaded, self.flops = library, 2 * m * n * k * SETS
        self.tensors = [[torch.rand(size) - 0.5 for size in (m * k, k * n, m * n)] for _ in range(SETS)]
        self.results = [tensors[2] for tensors in self.tensors]
        self.matmuls = (Matmul * SETS)(*(Matmul(m, n, k, transposes_a, transposes_b, *(t.data_ptr() for t in tensors))
                                         for tensors in self.tensors))

    def seconds(self, way):
        begin = time.process_time()
        getattr(self.loaded, f"stretto_bench_{way}")(self.matmuls, ctypes.c_int64(SETS))
        return time.process_time() - begin

    def check(self):
        """All ways must give the same numbers, but for rounding."""
        found = []
        for way in WAYS:
            self.seconds(way)
            found.append(torch.stack(self.results))
        for way, result in zip(WAYS, found):
            if (result - found[0]).abs().max() > 1e-4 * found[0].abs().max():
                raise SystemExit(f"{way} gives other numbers than {WAYS[0]}")


def measure(library, shape, rounds):
    """The best seconds of each way, and the operations that they take."""
    timed = Timed(library, *shape)
    timed.check()
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(rounds):
        for way in WAYS:
            best[way] = min(best[way], timed.seconds(way))
    return timed.flops, best


def rates(flops, best):
    return " | ".join(f"{flops / best[way] / 1e9:.0f}" for way in WAYS)


def run(library, width, rounds):
    operations, total = 0, dict.fromkeys(WAYS, 0.0)
    for name, shape in shapes_of(width):
        flops, best = measure(library, shape, rounds)
        m, n, k = shape[:3]
        print(f"| {width} | {name} | {m} x {n} x {k} | {rates(flops, best)} |", flush=True)
        operations += flops
        total = {way: total[way] + best[way] for way in WAYS}
    print(f"| {width} | all | | {rates(operations, total)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--widths", default="64,256,768", help="of " + ", ".join(map(str, LAYERS)))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--library", default=f"{ROOT}/build/lib/libstretto_bench_matmuls.so")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    library = ctypes.CDLL(os.path.abspath(arguments.library))
    print(f"| width | matmul | m x n x k | {' | '.join(WAYS)} |", "|---|---|---" + "|---" * len(WAYS) + "|", sep="\n")
    for width in map(int, arguments.widths.split(",")):
        run(library, width, arguments.rounds)


if __name__ == "__main__":
    main()
