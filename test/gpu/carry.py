"""Whether NCCL carries what ranks exchange on this machine, as programs have it carried: on a stream beside the first, as it
comes and replayed from a graph. A process for each GPU, one alone where there is one:

    carry.py RANK RANKS FILE    by which they find each other; it must not be there
"""
import datetime
import sys

import torch
import torch.distributed as dist

ROWS, COLUMNS = 64, 512


def step(main, side, values, received, gathered):
    """Values on the first stream, the exchange on the second, their sum on the first."""
    values.add_(1)
    side.wait_stream(main)
    with torch.cuda.stream(side):
        dist.all_to_all_single(received, values, async_op=False)
        dist.all_gather_into_tensor(gathered, received, async_op=False)
    main.wait_stream(side)
    return gathered.sum(dtype=torch.float64)


def main(rank, ranks, file):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", f"file://{file}", rank=rank, world_size=ranks, device_id=torch.device("cuda", rank),
                            timeout=datetime.timedelta(seconds=60))  # fmt: skip
    main, side = torch.cuda.Stream(), torch.cuda.Stream(priority=-5)
    values = torch.full((ranks * ROWS, COLUMNS), float(rank), device="cuda")
    received, gathered = torch.empty_like(values), torch.empty(ranks * ranks * ROWS, COLUMNS, device="cuda")
    sums = []
    with torch.cuda.stream(main):
        sums.append(step(main, side, values, received, gathered).item())
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=main, capture_error_mode="thread_local"):
            result = step(main, side, values, received, gathered)
        for _ in range(3):
            graph.replay()
            sums.append(result.item())
    dist.destroy_process_group()
    # Every rank has what all had: rank r sends r + number of the step.
    count = ranks * ROWS * COLUMNS
    expected = [count * sum(r + number for r in range(ranks)) for number in range(1, 5)]
    if sums != expected:
        sys.exit(f"sums are {sums}, not {expected}")
    print(f"rank {rank} of {ranks}: {len(sums)} exchanges, NCCL {'.'.join(map(str, torch.cuda.nccl.version()))}")


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
