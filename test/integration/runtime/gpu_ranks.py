"""Ranks on GPUs that are made of this machine's memory, over a made-up NCCL: c10d and everything above it is the real
thing. Bits are those of one rank, however early or late streams run, captured or not; a stream that does not wait for the
other, another order, and graphs on one rank alone are found.

REQUIRES: runtime, torch-cuda
RUN: %python3 %s %build %t
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from harness import contains, digest_of_ranks, expect, fake_cuda, run

build, folder = sys.argv[1], sys.argv[2]
program, fake = fake_cuda(build, folder)
gpus = {"LD_PRELOAD": fake, "STRETTO_FAKE_GPU_COUNT": "4"}
STEPS = 3


def train(name, *more, environment={}):
    """A run as a process: its exit status, and what it said."""
    command = [program, "--task", "rule", "--steps", STEPS, "--warmup", 2, "--eval-every", STEPS, "--threads", 1, "--quiet",
               "--virtual-ranks", 4, "--out", f"{folder}/{name}", *more]
    done = subprocess.run(["timeout", "-s", "KILL", "120", *map(str, command)], capture_output=True, text=True,
                          env={**os.environ, **gpus, **environment})
    return done.returncode, done.stdout + done.stderr


def bits(name):
    return digest_of_ranks(f"{folder}/{name}", STEPS)


EARLY = {"STRETTO_FAKE_GPU_EARLY": "1"}
# Name -> options of a run of two or four ranks, and the environment.
SAME = {
    "late": (["--ranks", 2], {}),
    "early": (["--ranks", 2], EARLY),
    "off": (["--ranks", 2, "--graph", "off"], EARLY),
    "four": (["--ranks", 4], {}),
}
# Waits that are forgotten one by one: a fork is seen where the other stream runs early, a join where it runs late. Of two
# virtual ranks each, the last sends its gradients (1, 2), which are summed (3); squares are sent (4) and have come (5). In the
# next step weights are sent (6), and the layers wait for theirs (7, 8); the last virtual rank is captured (10, 11), in the
# third step the first one, too (16, 17). At the end weights come before they are written (20).
FORGOTTEN = [(1, EARLY), (2, EARLY), (3, {}), (4, EARLY), (5, {}), (6, EARLY), (7, {}), (8, {}), (10, {}), (11, EARLY), (16, {}),
             (17, {}), (20, {})]


def same(name):
    options, environment = SAME[name]
    status, told = train(name, *options, environment=environment)
    expect(status == 0, f"{name}: exit status {status}: {told}")
    expect(bits(name) == bits("alone"), f"{name}: other bits than those of one rank")


def forgotten(wait, environment):
    name = f"forgotten-{wait}"
    status, _ = train(name, "--ranks", 2, environment={**environment, "STRETTO_FAKE_GPU_FORGET": str(wait)})
    expect(status != 0 or bits(name) != bits("alone"), f"wait {wait} was forgotten, and nobody saw it")


def refused(name, texts, environment):
    status, told = train(name, "--ranks", 2, environment=environment)
    expect(status == 1, f"{name}: exit status {status}: {told}")
    for text in texts:
        contains(told, text)


expect(train("alone")[0] == 0, "one rank fails")
with ThreadPoolExecutor(2) as pool:
    checks = [pool.submit(same, name) for name in SAME]
    checks += [pool.submit(forgotten, *each) for each in FORGOTTEN]
    # While a step is captured.
    for wait, text in ((14, "capturing stream has unjoined work"), (13, "dependency created on uncaptured work in another stream")):
        checks.append(pool.submit(refused, f"capture-{wait}", [text], {"STRETTO_FAKE_GPU_FORGET": str(wait)}))
    # No rank may go on without a graph that others have.
    checks.append(pool.submit(refused, "spoiled", ["failed due to a previous error during capture"], {"STRETTO_FAKE_GPU_SPOIL": "1@1"}))
    # Both ranks are named.
    checks.append(pool.submit(refused, "order", ["rank 0 does work 4, all-gather of 12288 bytes", "rank 1 does work 5, all-gather "
                                                 "of 6144 bytes"], {"STRETTO_FAKE_NCCL_SWAP": "4@1"}))
    checks.append(pool.submit(refused, "graph-on-one", ["rank 0 does work 6, all-to-all of 6144 bytes from a graph",
                                                        "rank 1 does work 6, all-to-all of 6144 bytes"],
                              {"STRETTO_FAKE_GPU_UNCAPTURED": "1@1"}))
    for check in checks:
        check.result()

# Accumulation, whose sums go with the last micro-batch.
run(program, "--task", "rule", "--steps", STEPS, "--quiet", "--threads", 1, "--accumulate", 3, "--virtual-ranks", 2, "--out",
    f"{folder}/alone-3", environment=gpus)
run(program, "--task", "rule", "--steps", STEPS, "--quiet", "--threads", 1, "--accumulate", 3, "--ranks", 2, "--out",
    f"{folder}/two-3", environment=gpus)
expect(bits("two-3") == bits("alone-3"), "other bits with micro-batches")
