"""What the machine can do: copies, matmuls of bf16, attention by backend, the matmuls of the head. Prints JSON.

    ceilings.py full|small
"""
import json
import statistics
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from setting import shape

GPU = torch.cuda.is_available()


def seconds(function, repeats=20):
    """The median time of a call, after warming up."""
    import time

    for _ in range(3):
        function()
    taken = []
    for _ in range(repeats):
        if GPU:
            a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            a.record()
            function()
            b.record()
            torch.cuda.synchronize()
            taken.append(a.elapsed_time(b) * 1e-3)
        else:
            start = time.perf_counter()
            function()
            taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def attention(backend, model, device):
    q, k, v = (torch.randn(model["batch"], model["dim"] // 64, model["length"], 64, device=device, dtype=torch.bfloat16,
                           requires_grad=True) for _ in range(3))  # fmt: skip

    def both():
        with sdpa_kernel(backend):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y.backward(y.detach())

    return seconds(both, 10)


def main(kind):
    small, device = kind == "small", "cuda" if GPU else "cpu"
    result = {"gpu": torch.cuda.get_device_name() if GPU else "no GPU", "torch": torch.__version__, "cuda": torch.version.cuda}
    if GPU:
        result |= {"cudnn": torch.backends.cudnn.version(), "memory": torch.cuda.get_device_properties(0).total_memory}
    count = 1 << (20 if small else 30)
    a, b = (torch.empty(count, dtype=torch.float32, device=device).normal_() for _ in range(2))
    result["copy_bytes_per_second"] = 2 * 4 * count / seconds(lambda: b.copy_(a), 10)
    del a, b
    side = 256 if small else 8192
    a, b = (torch.randn(side, side, device=device, dtype=torch.bfloat16) for _ in range(2))
    result["matmul_flops"] = 2 * side**3 / seconds(lambda: a @ b, 10)
    model = shape("32k", small)
    rows, d, words = model["batch"] * model["length"], model["dim"], model["vocabulary"]
    x, w, g = (torch.randn(*s, device=device, dtype=torch.bfloat16) for s in ((rows, d), (words, d), (rows, words)))
    result["head_matmuls_seconds"] = sum(map(seconds, (lambda: x @ w.T, lambda: g @ w, lambda: g.T @ x)))
    del x, w, g
    result["attention_seconds"] = {}
    for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        try:
            result["attention_seconds"][name] = attention(backend, model, device)
        except RuntimeError as problem:
            result["attention_seconds"][name + " problem"] = str(problem)[:300]
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
