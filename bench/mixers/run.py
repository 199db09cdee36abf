"""Linear mixers on the CPU, the operation alone, forward and backward in f32: ours against the chunk form in PyTorch, eager
and compiled, in turns in one process. Heads of a few columns go token by token: eagerly by a loop, compiled by a scan.

    ninja -C build stretto_bench_mixers && .deps/venv/bin/python bench/mixers/run.py

Processor time of one thread; the least of all rounds. "limit": the matmuls of our form at the rate of a large sgemm, pairs
as whole squares; as our tiles are faster than that sgemm and leave half of a square out, more than 100 % can be reached. Of
heads of a few columns it is the time in which PyTorch adds tensors of as many bytes.

    --segments    ours alone, with saved states each 64, 128, 256 and 512 tokens
    --saved       bytes that are saved for the backward, of ours and of autograd; takes no time
    --matmuls     the matmuls of chunks: our tiles against oneDNN's block matmul and MKL, GFLOP/s"""
import argparse
import ctypes
import json
import os
import time
from dataclasses import dataclass

import matmuls
import pytorch
import saved
import torch

CHUNK = 32  # as in runtime/device/cpu/mixer
SEGMENTS = (64, 128, 256, 512)
NUMBERS = ("batch", "length", "heads", "key_heads", "keys", "values", "segment", "heads_of_part", "by_channel")
TENSORS = ("q", "k", "v", "decay", "write", "beta", "out", "states", "grad", "dq", "dk", "dv", "ddecay", "dwrite", "dbeta")


class Request(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in NUMBERS] + [("scale", ctypes.c_double)]
    _fields_ += [(name, ctypes.c_void_p) for name in TENSORS]


@dataclass
class Shape:
    name: str
    kind: str  # gla, ssd, delta
    heads: int
    keys: int
    values: int
    key_heads: int

    def is_narrow(self):
        """Whether it goes token by token."""
        return self.keys * self.values <= NARROW and self.heads >= 16

    def heads_of_part(self):
        """Heads that dq and dk have one part for, as at seq.mixer_grad."""
        return 16 if self.keys * self.values <= NARROW and self.heads // self.key_heads % 16 == 0 else 1


SHAPES = [
    Shape("GLA5 (4.2)", "gla", 2, 128, 256, 2),
    Shape("Mamba2 (4.2)", "ssd", 2, 128, 256, 1),
    Shape("GDN2 (4.2)", "delta", 2, 128, 256, 2),
    Shape("GLA (4.1)", "gla", 4, 32, 64, 4),
    Shape("Mamba2 (4.1)", "ssd", 16, 64, 32, 1),
    Shape("GDN (4.1)", "delta", 2, 96, 192, 2),
    Shape("RG-LRU", "gla", 256, 1, 1, 256),
    Shape("Mamba", "gla", 256, 16, 1, 1),
]
NARROW = 128  # as in runtime/device/cpu/mixer/lanes.h


class Ours:
    """The operation of the runtime, on dense rows."""

    def __init__(self, library, shape, batch, length, segment):
        self.loaded, rows = library, (batch, length)
        normal = lambda columns: torch.randn(*rows, columns) / columns**0.5
        heads, keys, values = shape.heads, shape.keys, shape.values
        by_channel = shape.kind == "gla"
        decays = heads * keys if by_channel else heads
        tensors = {"q": normal(shape.key_heads * keys), "k": normal(shape.key_heads * keys), "v": normal(heads * values)}
        tensors["k"] = torch.nn.functional.normalize(tensors["k"].unflatten(-1, (shape.key_heads, -1)), dim=-1).flatten(-2)
        tensors["decay"] = torch.nn.functional.logsigmoid(torch.randn(*rows, decays)) / 16
        strength = {"gla": None, "ssd": "write", "delta": "beta"}[shape.kind]
        if strength:
            tensors |= {strength: torch.rand(*rows, heads), "d" + strength: torch.empty(*rows, heads)}
        tensors |= {"out": torch.empty(*rows, heads * values), "grad": torch.randn(*rows, heads * values)}
        of_part = shape.heads_of_part()
        tensors |= {name: torch.empty(*rows, heads // of_part * keys) for name in ("dq", "dk")}
        tensors |= {"dv": torch.empty(*rows, heads * values), "ddecay": torch.empty(*rows, decays)}
        tensors["states"] = torch.empty(batch, heads, -(-length // segment), keys * values)
        self.tensors, self.shape = tensors, shape
        numbers = batch, length, heads, shape.key_heads, keys, values, segment, of_part, by_channel
        self.request = Request(*numbers, keys**-0.5)
        for name, tensor in tensors.items():
            setattr(self.request, name, tensor.data_ptr())

    def forward(self):
        self.loaded.stretto_bench_forward(ctypes.byref(self.request))

    def backward(self):
        self.loaded.stretto_bench_backward(ctypes.byref(self.request))


class Theirs:
    """The same in PyTorch, from tensors [batch, heads, time, columns]."""

    def __init__(self, ours, compiles):
        shape, tensors = ours.shape, ours.tensors
        by_head = lambda x, heads: x.unflatten(-1, (heads, -1)).transpose(1, 2)
        names = ["q", "k", "v", "decay", {"gla": None, "ssd": "write", "delta": "beta"}[shape.kind]]
        self.leaves = {name: tensors[name].clone().requires_grad_() for name in names if name}
        scale = shape.keys**-0.5
        function = pytorch.delta_rule if shape.kind == "delta" else pytorch.linear_attention
        if shape.is_narrow():
            function = pytorch.scan if compiles else pytorch.recurrence

        def whole(q, k, v, decay, strength):
            q, k = by_head(q, shape.key_heads), by_head(k, shape.key_heads)
            if shape.key_heads != shape.heads:
                q, k = q.expand(-1, shape.heads, -1, -1), k.expand(-1, shape.heads, -1, -1)
            strength = None if strength is None else by_head(strength, shape.heads)
            v, decay = by_head(v, shape.heads), by_head(decay, shape.heads)
            out = function(q, k, v, decay, strength, scale)
            return out.transpose(1, 2).flatten(-2)

        self.function = torch.compile(whole, fullgraph=True, dynamic=False) if compiles else whole
        self.inputs = [self.leaves.get(name) for name in names]
        self.grad = tensors["grad"]

    def forward(self):
        self.out = self.function(*self.inputs)

    def backward(self):
        self.gradients = torch.autograd.grad(self.out, [each for each in self.inputs if each is not None], self.grad)


def worst_difference(ours, theirs):
    """Relative to the largest number: results and gradients."""
    ours.forward(), ours.backward(), theirs.forward(), theirs.backward()
    shape, pairs = ours.shape, [(ours.tensors["out"], theirs.out)]
    for name, gradient in zip(theirs.leaves, theirs.gradients, strict=True):
        found = ours.tensors["d" + name]
        if found.shape != gradient.shape:  # the sum of the parts of a key head
            found = found.unflatten(-1, (shape.key_heads, -1, shape.keys)).sum(-2).flatten(-2)
        pairs.append((found, gradient))
    return max(((a - b).abs().max() / b.abs().max()).item() for a, b in pairs)


def flops(shape, batch, length):
    """Of the matmuls of our form, with what the backward recomputes; pairs in whole squares."""
    n, keys, values = CHUNK, shape.keys, shape.values
    pairs, state, square = 2 * n * keys, 2 * keys * values, 2 * n * values
    erases = shape.kind == "delta"
    prepare = pairs * (2 if erases else 1)
    forward = prepare + (2 * state + square) + (state + square if erases else 0)
    again = prepare + state + (state + square if erases else 0)
    backward = 2 * square + 4 * state + 2 * pairs + ((2 * square + 2 * state + 2 * pairs) if erases else 0)
    return (forward + again + backward) * batch * length * shape.heads


def sgemm_rate(rounds):
    a, b, out = torch.randn(1024, 1024), torch.randn(1024, 1024), torch.empty(1024, 1024)
    return 2 * 1024**3 / min(timed(lambda: torch.mm(a, b, out=out)) for _ in range(rounds))


def moved_bytes(ours):
    """The operands twice, forward and backward, and the results."""
    sizes = {name: each.nbytes for name, each in ours.tensors.items()}
    return sum(sizes.values()) + sum(sizes[name] for name in TENSORS[:6] if name in sizes)


def memory_rate(rounds):
    a, b, out = (torch.randn(1 << 23) for _ in range(3))
    return 3 * a.nbytes / min(timed(lambda: torch.add(a, b, out=out)) for _ in range(rounds))


def limit_of(ours, batch, length, rounds):
    if ours.shape.is_narrow():
        return moved_bytes(ours) / memory_rate(rounds)
    return flops(ours.shape, batch, length) / sgemm_rate(rounds)


def timed(work):
    begin = time.process_time()
    work()
    return time.process_time() - begin


def measure(contenders, rounds):
    """Seconds of forward and of backward of each, round by round, in turns."""
    samples = {name: ([], []) for name in contenders}
    for _ in range(rounds):
        for name, each in contenders.items():
            for taken, work in zip(samples[name], (each.forward, each.backward)):
                taken.append(timed(work))
    return samples


def least(samples):
    return {name: [min(taken) for taken in both] for name, both in samples.items()}


def run(shape, library, arguments):
    batch, length = arguments.batch, arguments.length
    contenders = {"ours": Ours(library, shape, batch, length, 256), "ours64": Ours(library, shape, batch, length, 64)}
    contenders["eager"] = Theirs(contenders["ours"], compiles=False)
    difference = worst_difference(contenders["ours"], contenders["eager"])
    if not arguments.no_compile:
        contenders["compiled"] = Theirs(contenders["ours"], compiles=True)
    samples = measure(contenders, arguments.rounds)
    best = least(samples)
    limit = limit_of(contenders["ours"], batch, length, arguments.rounds)
    total = {name: sum(times) for name, times in best.items()}
    theirs = min(total.get("compiled", total["eager"]), total["eager"])
    return {"name": shape.name, "times": best, "limit": limit, "difference": difference, "of_limit": limit / total["ours"],
            "ratio": theirs / total["ours"], "ratio64": theirs / total["ours64"], "samples": samples}  # fmt: skip


def show(times):
    return " + ".join(f"{1e3 * each:.1f}" for each in times)


def compare(shapes, library, arguments):
    print("| mixer | ours | states each 64 | eager | compiled | theirs / ours (each 64) | of the limit | difference |")
    print("|---|---|---|---|---|---|---|---|")
    rows = []
    for shape in shapes:
        row = run(shape, library, arguments)
        rows.append(row)
        times = " | ".join(show(row["times"].get(name, [])) for name in ("ours", "ours64", "eager", "compiled"))
        print(f"| {row['name']} | {times} | {row['ratio']:.2f} ({row['ratio64']:.2f}) | {row['of_limit']:.0%} "
              f"| {row['difference']:.1e} |", flush=True)  # fmt: skip
    return rows


def compare_segments(shapes, library, arguments):
    """Ours by tokens from one saved state to the next; then their sums relative to 256."""
    print("| mixer |" + "".join(f" {segment} |" for segment in SEGMENTS) + " relative to 256 |")
    print("|---|" + "---|" * (len(SEGMENTS) + 1))
    rows = []
    for shape in shapes:
        contenders = {each: Ours(library, shape, arguments.batch, arguments.length, each) for each in SEGMENTS}
        samples = measure(contenders, arguments.rounds)
        best = least(samples)
        rows.append({"name": shape.name, "times": best, "samples": samples})
        ratios = ", ".join(f"{sum(best[segment]) / sum(best[256]):.3f}" for segment in SEGMENTS)
        print(f"| {shape.name} | {' | '.join(map(show, best.values()))} | {ratios} |", flush=True)
    return rows


def compare_saved(shapes, library, arguments):
    def contenders(shape):
        ours = {each: Ours(library, shape, arguments.batch, arguments.length, each) for each in (64, 256, 512)}
        return ours, Theirs(ours[256], compiles=False)

    return saved.run(contenders, shapes)


def compare_matmuls(shapes, library, arguments):
    widths = dict.fromkeys((shape.keys, shape.values) for shape in shapes)
    return matmuls.run(library, widths, CHUNK, arguments.rounds)


MODES = {"segments": compare_segments, "saved": compare_saved, "matmuls": compare_matmuls}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for mode in MODES:
        parser.add_argument(f"--{mode}", dest="compare", action="store_const", const=MODES[mode], default=compare)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--length", type=int, default=512)
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    arguments = parse()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    build = os.path.join(os.path.dirname(__file__), "..", "..", "build")
    library = ctypes.CDLL(os.path.join(build, "lib", "libstretto_bench_mixers.so"))
    library.stretto_bench_threads(1)
    rows = arguments.compare([shape for shape in SHAPES if arguments.only in shape.name], library, arguments)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
