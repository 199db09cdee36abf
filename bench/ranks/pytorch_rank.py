"""One rank of a PyTorch run over Gloo; answers `time N` as `PROGRAM --bench` does, the first rank for all.

    pytorch_rank.py FORM RANK RANKS MEETING_FILE WIDTH CANON DATA    FORM: alone, ddp, fsdp2
"""
import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "step"))
from pytorch_model import Llama  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from sizes import SHAPES, VOCABULARY  # noqa: E402

BUCKET = 4  # MiB of gradients that DDP sends at once


class Rank:
    def __init__(self, form, rank, ranks, meeting, shape, canon, data):
        self.form, self.rank, self.ranks = form, rank, 1 if form == "alone" else ranks
        if self.ranks > 1:
            dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=ranks)
        torch.manual_seed(0)
        width, layers, _, length = SHAPES[shape]
        self.model = self.share(Llama(width, layers, length, VOCABULARY, canon))
        self.batch = [load_file(data)[name].long() for name in ("tokens", "targets")]
        # The fused form knows no parts of tensors.
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4, betas=(0.9, 0.98), eps=1e-6,
                                           weight_decay=0.1, fused=form != "fsdp2")

    def share(self, model):
        if self.form == "ddp":
            return DistributedDataParallel(model, bucket_cap_mb=BUCKET)
        if self.form == "fsdp2":
            mesh = init_device_mesh("cpu", (self.ranks,))
            for block in [*model.attention, *model.mlp]:
                fully_shard(block, mesh=mesh)
            fully_shard(model, mesh=mesh)
        return model

    def step(self):
        self.model(*self.batch).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def time(self, count):
        seconds, cpu = [], []
        for _ in range(count):
            start, cpu_start = time.perf_counter(), time.process_time()
            self.step()
            seconds.append(time.perf_counter() - start)
            cpu.append(time.process_time() - cpu_start)
        return {"seconds": seconds, "cpu_seconds": self.mean(cpu)}

    def mean(self, numbers):
        if self.ranks == 1:
            return numbers
        total = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(total)
        return (total / self.ranks).tolist()

    def serve(self):
        while True:
            words = [sys.stdin.readline().split() if self.rank == 0 or self.ranks == 1 else None]
            if self.ranks > 1:
                dist.broadcast_object_list(words, src=0)
            if not words[0]:
                return
            answer = self.time(int(words[0][1]))
            if self.rank == 0 or self.ranks == 1:
                print(json.dumps(answer), flush=True)


def main():
    form, rank, ranks, meeting, shape, canon, data = sys.argv[1:]
    torch.set_num_threads(1)
    one = Rank(form, int(rank), int(ranks), meeting, shape, canon, data)
    one.time(2)
    if one.rank == 0 or one.ranks == 1:
        print(json.dumps({"ready": True}), flush=True)
    one.serve()


if __name__ == "__main__":
    main()
