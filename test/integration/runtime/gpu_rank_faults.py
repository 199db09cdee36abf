"""What can go wrong with ranks on GPUs, which are made of this machine's memory: each has one message and a status, nobody
waits for a GPU that waits for a rank that is gone, and the run goes on to the bits of one that was left alone.

REQUIRES: runtime, torch-cuda
RUN: %python3 %s %build %t
"""
import os
import re
import socket
import subprocess
import sys

from harness import contains, digest_of_ranks, expect, fake_cuda, read, run

build, folder = sys.argv[1], sys.argv[2]
program, fake = fake_cuda(build, folder)
STEPS, LIMIT = 300, 9.0  # seconds, on a machine that is busy and slow; a standstill takes ten
gpus = {"LD_PRELOAD": fake, "STRETTO_FAKE_GPU_COUNT": "2", "STRETTO_FAKE_NCCL_ABORTED": f"{folder}/aborted"}
options = ["--task", "rule", "--steps", STEPS, "--save-every", 50, "--eval-every", 0, "--threads", 1, "--virtual-ranks", 4,
           "--quiet"]
run(program, *options, "--out", f"{folder}/alone", environment=gpus)
expected = digest_of_ranks(f"{folder}/alone", STEPS)


def goes_on(out):
    run(program, "--resume", "--threads", 1, "--quiet", "--out", out, environment=gpus)
    expect(digest_of_ranks(out, STEPS) == expected, f"{out}: bits differ after a resume by one rank")


def killed(victim, text, *more):
    """One of two ranks that no launcher watches is killed while it exchanges gradients, after the first checkpoint."""
    out = f"{folder}/killed-{victim}{''.join(more)}"
    listener = socket.create_server(("127.0.0.1", 0))
    listener.set_inheritable(True)
    common = {"STRETTO_RANKS": "2", "STRETTO_STORE": f"127.0.0.1:{listener.getsockname()[1]}"}
    ranks = []
    for rank in range(2):
        own = {"STRETTO_RANK": str(rank), **({"STRETTO_LISTENER": str(listener.fileno())} if rank == 0 else {})}
        ranks.append(subprocess.Popen([program, *map(str, options), "--out", out, *more], text=True, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, env={**os.environ, **gpus, **common, **own,
                                                                     "STRETTO_FAKE_NCCL_KILL": f"301@{victim}"},
                                      pass_fds=[listener.fileno()] * (rank == 0)))
    listener.close()
    ranks[victim].communicate(timeout=120)
    try:
        told = ranks[1 - victim].communicate(timeout=LIMIT)[0]
    except subprocess.TimeoutExpired:
        ranks[1 - victim].kill()
        sys.exit(f"failed: {out}: the other rank is alive after {LIMIT} s")
    expect(ranks[1 - victim].returncode == 75, f"{out}: exit status {ranks[1 - victim].returncode}: {told}")
    expect(told.startswith("error: ") and told.count("\n") == 1, f"not one message: {told}")
    contains(told, text)
    contains(told, "the checkpoint of step 50 is good; go on with: ")
    goes_on(out)


# A graph that waits for the one that is gone is ended.
killed(1, "rank 1 (host")
contains(read(f"{folder}/aborted").decode(), " from a graph\n")
killed(0, "rank 0 (host")
os.remove(f"{folder}/aborted")
killed(1, "is gone; of its signs of life, the last one was in ", "--graph=off")
expect(re.search(r"bytes\n", read(f"{folder}/aborted").decode()), "what waited was not ended")


def refused(name, ranks, text, environment, status=1):
    told = run(program, *options, "--ranks", ranks, "--out", f"{folder}/{name}", status=status,
               environment={**gpus, **environment})
    contains(told, text)
    expect("frame #" not in told, f"a library speaks: {told}")


# Each rank needs a GPU.
refused("shared", 2, "the GPUs of the ranks could not be connected: Duplicate GPU detected", {"STRETTO_FAKE_GPU_COUNT": "1"})
refused("third", 4, "each rank of a host must have a GPU of its own, but there are 3, and this is rank 3 of the host",
        {"STRETTO_FAKE_GPU_COUNT": "3"})
# A GPU fails: its rank tells what it says.
refused("faulty", 2, "rank 1 (host", {"STRETTO_FAKE_GPU_FAULT": "1500@1"})
told = run(program, *options, "--ranks", 2, "--out", f"{folder}/faulty-off", "--graph", "off", status=1,
           environment={**gpus, "STRETTO_FAKE_GPU_FAULT": "1500@1"})
contains(told, "the GPU failed: a fault that was asked for (cudaErrorIllegalAddress); submitted last: ")
goes_on(f"{folder}/faulty")
