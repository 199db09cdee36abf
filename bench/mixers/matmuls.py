"""The matmuls of chunks: the tiles of mixers against oneDNN's block matmul and MKL, on operands in the caches of one core."""
import ctypes
import time

import torch

NUMBERS = ("m", "n", "k", "transposes_a", "transposes_b")
BUFFERS = ("a", "b", "c", "packing")
WAYS = ("tiles", "block", "mkl")  # the functions stretto_bench_... of the library


class Matmul(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in NUMBERS] + [(name, ctypes.c_void_p) for name in BUFFERS]


def shapes_of(rows, keys, values):
    """m, n, k, and which operands are transposes, for heads of so many columns."""
    return {
        "pairs of queries and keys": (rows, rows, keys, False, True),
        "pairs times values": (rows, values, rows, False, False),
        "queries times state": (rows, values, keys, False, False),
        "state from keys and values": (keys, values, rows, True, False),
        "state times gradients": (keys, rows, values, False, True),
        "the same the other way around": (rows, keys, values, False, True),
    }


class Timed:
    """One matmul with memory of its own; so many times in a row that the clock can tell."""

    def __init__(self, library, m, n, k, transposes_a, transposes_b):
        self.loaded, self.flops = library, 2 * m * n * k
        self.times = max(1, int(2e8 / self.flops))
        tensors = [torch.randn(size) for size in (m * k, k * n, m * n, m * k + k * n)]
        self.memory = tensors
        self.matmul = Matmul(m, n, k, transposes_a, transposes_b, *(tensor.data_ptr() for tensor in tensors))

    def seconds(self, way):
        begin = time.process_time()
        getattr(self.loaded, f"stretto_bench_{way}")(ctypes.byref(self.matmul), ctypes.c_int64(self.times))
        return (time.process_time() - begin) / self.times


def measure(library, shape, rounds):
    """GFLOP/s of all ways: the best of all rounds, in turns."""
    timed = Timed(library, *shape)
    best = dict.fromkeys(WAYS, float("inf"))
    for _ in range(rounds):
        for way in WAYS:
            best[way] = min(best[way], timed.seconds(way))
    return {way: timed.flops / seconds / 1e9 for way, seconds in best.items()}


def run(library, widths, rows, rounds):
    """Prints a table for heads of `widths` columns of keys and values, and gives its numbers."""
    print("| heads | matmul | m x n, k | transposed | tiles | oneDNN | MKL |")
    print("|---|---|---|---|---|---|---|")
    results = []
    for keys, values in widths:
        for name, shape in shapes_of(rows, keys, values).items():
            rates = measure(library, shape, rounds)
            m, n, k, transposes_a, transposes_b = shape
            transposed = " and ".join(side for side, is_so in (("left", transposes_a), ("right", transposes_b)) if is_so)
            results.append({"keys": keys, "values": values, "name": name, "shape": shape, **rates})
            print(f"| {keys} x {values} | {name} | {m} x {n}, {k} | {transposed} | "
                  f"{' | '.join(f'{rate:.0f}' for rate in rates.values())} |", flush=True)  # fmt: skip
    return results
