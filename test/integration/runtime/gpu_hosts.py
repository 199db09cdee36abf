"""Ranks of two hosts, each with a GPU that is made of this machine's memory: the store is that of torchrun's agent, both
take the first GPU, and steps are no graphs unless the user asks for them. Bits are those of one rank.

REQUIRES: runtime, torch-cuda
RUN: %python %s %build %t
"""
import os
import subprocess
import sys

from harness import contains, digest_of_ranks, expect, fake_cuda, run

build, folder = sys.argv[1], sys.argv[2]
program, fake = fake_cuda(build, folder)

from torch.distributed import TCPStore  # noqa: E402

STEPS = 3
options = ["--task", "rule", "--steps", STEPS, "--warmup", 1, "--eval-every", 0, "--threads", 1, "--quiet", "--virtual-ranks", 2]
run(program, *options, "--out", f"{folder}/alone", environment={"LD_PRELOAD": fake})


def hosts(name, *more, environment={}):
    """A run on two hosts; what both said, by rank."""
    store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    ranks = []
    for rank in range(2):
        own = {"RANK": rank, "WORLD_SIZE": 2, "LOCAL_RANK": 0, "LOCAL_WORLD_SIZE": 1, "MASTER_ADDR": "127.0.0.1",
               "MASTER_PORT": store.port, "TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": 0,
               "GLOO_SOCKET_IFNAME": "lo", "LD_PRELOAD": fake, "STRETTO_FAKE_GPU_HOST": rank} | (environment if rank else {})
        command = ["timeout", "-s", "KILL", "120", program, *map(str, options), *more, "--out", f"{folder}/{name}"]
        ranks.append(subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      env=os.environ | {key: str(value) for key, value in own.items()}))
    said = [rank.communicate()[0] for rank in ranks]
    return [rank.returncode for rank in ranks], "".join(said)


status, told = hosts("two")
expect(status == [0, 0], f"two hosts: {status}: {told}")
expect(digest_of_ranks(f"{folder}/two", STEPS) == digest_of_ranks(f"{folder}/alone", STEPS), "other bits than those of one rank")
# Work that changes places is told of, with where it comes from.
for name, more, kind in (("plain", [], " bytes"), ("asked", ["--graph=on"], " bytes from a graph")):
    status, told = hosts(name, *more, environment={"STRETTO_FAKE_NCCL_SWAP": "9"})
    expect(status == [1, 1], f"{name}: {status}: {told}")
    contains(told, f"rank 0 does work 9, all-gather of 12288{kind}, rank 1 does work 10, all-gather of 6144{kind}"
             if "failed: rank 0" in told else
             f"rank 1 does work 10, all-gather of 6144{kind}, rank 0 does work 9, all-gather of 12288{kind}")
