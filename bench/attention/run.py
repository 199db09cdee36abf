"""Causal attention on the CPU, one thread, f32: ours against LibTorch's flash attention, in turns in one process.

    ninja -C build stretto_bench_attention && .deps/venv/bin/python bench/attention/run.py [--rounds 15]

q, k and v lie side by side, as our programs have them; a window is a mask for LibTorch. Milliseconds of processor time, the
best round; GFLOP/s count the multiply-adds of pairs that are seen. Results and gradients must agree.
"""
import argparse
import ctypes
import os
import time

import torch

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SHAPES = [(8, 256, 1, 64, 0), (4, 512, 4, 64, 0), (2, 512, 12, 64, 0), (1, 2048, 4, 64, 0), (1, 2048, 4, 64, 512),
          (1, 2048, 4, 64, 128), (1, 8192, 4, 64, 512)]  # batch, length, heads, columns of a head, window  # fmt: skip


class Request(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("batch", "length", "heads", "head_dim", "window")] + [
        (name, ctypes.c_void_p) for name in ("qkv", "out", "lse", "d_out", "d_qkv")
    ]


class Ours:
    def __init__(self, library, qkv, d_out, heads, window):
        batch, length, width = d_out.shape
        self.loaded, self.out, self.d_qkv = library, torch.empty_like(d_out), torch.empty_like(qkv)
        self.kept = qkv, d_out, torch.empty(batch, heads, length)
        self.request = Request(batch, length, heads, width // heads, window, qkv.data_ptr(), self.out.data_ptr(),
                               self.kept[2].data_ptr(), d_out.data_ptr(), self.d_qkv.data_ptr())

    def forward(self):
        self.loaded.stretto_bench_forward(ctypes.byref(self.request))

    def backward(self):
        self.loaded.stretto_bench_backward(ctypes.byref(self.request))


class Theirs:
    def __init__(self, qkv, d_out, heads, window):
        batch, length, _ = qkv.shape
        token = torch.arange(length)
        seen = (token[:, None] >= token) & (token[:, None] - token < window)
        self.mask = torch.zeros(length, length).masked_fill(~seen, -torch.inf)[None, None] if window else None
        self.parts = [part.view(batch, length, heads, -1).transpose(1, 2) for part in qkv.chunk(3, -1)]
        self.d_out = d_out.view(batch, length, heads, -1).transpose(1, 2)

    def forward(self):
        self.result = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            *self.parts, is_causal=self.mask is None, attn_mask=self.mask)

    def backward(self):
        self.grads = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
            self.d_out, *self.parts, *self.result, 0.0, self.mask is None, attn_mask=self.mask)

    def rows(self, heads_first):
        return heads_first.transpose(1, 2).flatten(2)


def check(ours, theirs):
    for mine, other in ((ours.out, theirs.rows(theirs.result[0])),
                        (ours.d_qkv, torch.cat([theirs.rows(grad) for grad in theirs.grads], -1))):
        if (mine - other).abs().max() > 1e-4 * other.abs().max():
            raise SystemExit("ours and LibTorch's attention differ")


def measure(library, batch, length, heads, head_dim, window, rounds):
    """The best seconds of theirs and ours, forward and backward."""
    qkv, d_out = torch.randn(batch, length, 3 * heads * head_dim), torch.randn(batch, length, heads * head_dim)
    ways = {"theirs": Theirs(qkv, d_out, heads, window), "ours": Ours(library, qkv, d_out, heads, window)}
    best = {}
    for _ in range(rounds):
        for name, way in ways.items():
            for part in ("forward", "backward"):
                begin = time.process_time()
                getattr(way, part)()
                best[name, part] = min(best.get((name, part), float("inf")), time.process_time() - begin)
    check(ways["ours"], ways["theirs"])
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--library", default=f"{ROOT}/build/lib/libstretto_bench_attention.so")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    library = ctypes.CDLL(os.path.abspath(arguments.library))
    print("| batch, length, heads, window | LibTorch: forward, backward | ours | ours, GFLOP/s |", "|---|---|---|---|", sep="\n")
    for shape in SHAPES:
        batch, length, heads, head_dim, window = shape
        best = measure(library, *shape, arguments.rounds)
        seen = sum(min(token + 1, window or length) for token in range(length))
        flops = 2 * batch * heads * seen * head_dim  # of one matmul
        columns = [", ".join(f"{1e3 * best[name, part]:.2f}" for part in ("forward", "backward")) for name in ("theirs", "ours")]
        columns.append(", ".join(f"{count * flops / best['ours', part] / 1e9:.0f}" for part, count in (("forward", 2), ("backward", 5))))
        print(f"| {batch}, {length}, {heads}, {window or '–'} | " + " | ".join(columns) + " |", flush=True)


if __name__ == "__main__":
    main()
