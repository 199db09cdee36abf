"""What can go wrong with several ranks: each has one message, a status and a time, nobody is left, and the run goes on to
the bits of one that was left alone. Ranks of one host talk over the loopback alone.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs/fake_f32 %build/test/campaign/libstretto_faults.so %t
"""
import atexit
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from harness import await_checkpoint, contains, digest_of_ranks, expect, lasting, run

STEPS, RANKS = 300, 3
LASTING = {rank: lasting(100) for rank in range(RANKS)}
SOON = 8  # seconds for what takes one, as the machine may be busy and slow; there is nothing else that would end a run as soon
program, faults, folder = sys.argv[1:4]
options = ["--task", "rule", "--steps", STEPS, "--save-every", 100, "--eval-every", 0, "--threads", 1, "--virtual-ranks",
           RANKS, "--rank-timeout", 20, "--join-timeout", 60, "--task-set", "delay_us=300"]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
run(program, *options, "--out", f"{folder}/alone", "--quiet")
expected = digest_of_ranks(f"{folder}/alone", STEPS)


class Run:
    """Ranks that are started here, each with options and an environment of its own."""

    def __init__(self, name, of_ranks={}, environments={}, ranks=RANKS):
        self.out, self.began = f"{folder}/{name}", time.monotonic()
        listener = socket.create_server(("127.0.0.1", 0))
        listener.set_inheritable(True)
        common = {"STRETTO_RANKS": str(ranks), "STRETTO_STORE": f"127.0.0.1:{listener.getsockname()[1]}"}
        self.processes = {}
        for rank in range(ranks):
            if of_ranks.get(rank) is None and rank in of_ranks:
                continue  # this one never comes
            own = {"STRETTO_RANK": str(rank), **({"STRETTO_LISTENER": str(listener.fileno())} if rank == 0 else {})}
            command = [program, *map(str, options), "--out", self.out, *map(str, of_ranks.get(rank, []))]
            self.processes[rank] = subprocess.Popen(
                command, env={**os.environ, **common, **own, **environments.get(rank, {})}, text=True,
                pass_fds=[listener.fileno()] * (rank == 0), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        listener.close()
        atexit.register(self.kill)  # where this test fails

    def hit(self, rank, number):
        self.processes[rank].send_signal(number)
        self.began = time.monotonic()

    def end(self, limit, statuses, besides=()):
        """Awaits all ranks but some, so many seconds after they began or one was hit; returns what they said."""
        said = {}
        for rank, process in self.processes.items():
            if rank in besides:
                continue
            try:
                said[rank] = process.communicate(timeout=max(0.1, self.began + limit - time.monotonic()))[0]
            except subprocess.TimeoutExpired:
                self.kill()
                sys.exit(f"failed: {self.out}: rank {rank} is alive after {limit} s")
            expect(process.returncode in statuses, f"{self.out}: rank {rank} ends with {process.returncode}: {said[rank]}")
        self.kill()
        return said

    def kill(self):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def goes_on(self):
        run(program, "--resume", "--threads", 1, "--quiet", "--out", self.out)
        expect(digest_of_ranks(self.out, STEPS) == expected, f"{self.out}: bits differ after a resume by one rank")


LOOPBACK = ("0100007F", "0000000000000000FFFF00000100007F")  # the second is the first in IPv6


def sockets(process):
    """Local and remote addresses of the internet sockets of a process."""
    inodes = set()
    for descriptor in os.listdir(f"/proc/{process.pid}/fd"):
        try:
            inodes |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(f"/proc/{process.pid}/fd/{descriptor}")))
        except FileNotFoundError:
            pass
    found = []
    for table in glob.glob(f"/proc/{process.pid}/net/tcp*") + glob.glob(f"/proc/{process.pid}/net/udp*"):  # there may be no IPv6
        for line in open(table).read().splitlines()[1:]:
            words = line.split()
            if words[9] in inodes:
                found.append((words[1].split(":")[0], words[2].split(":")[0]))
    return found


# Who does not come: rank 1 has time to, while other runs are looked at.
missing = Run("missing", {0: ["--join-timeout", 10], 1: ["--join-timeout", 10], 2: None})

# Killed, rank by rank; the first one holds the store.
for victim, text in ((1, "rank 1 (host"), (2, "rank 2 (host"), (0, "rank 0 (host")):
    trial = Run(f"killed-{victim}", environments=LASTING)
    await_checkpoint(trial.out, 100)
    if victim == 1:
        addresses = [pair for process in trial.processes.values() for pair in sockets(process)]
        strange = [(local, remote) for local, remote in addresses
                   if local not in LOOPBACK or (remote not in LOOPBACK and remote.strip("0"))]
        expect(addresses and not strange, f"sockets must be of the loopback, but got {strange}")
    trial.hit(victim, signal.SIGKILL)
    said = trial.end(2 * SOON, [75], [victim])
    told = said[0] if victim else said[1]
    contains(told, text)
    contains(told, "which holds the store, is gone" if victim == 0 else "is gone; of its signs of life, the last one was in ")
    contains(told, "the checkpoint of step 100 is good; go on with: ")
    trial.goes_on()

# A rank that ends too early, with the status of one that is done.
trial = Run("left", environments={1: {"STRETTO_FAKE_EXIT": "20"}})
said = trial.end(60, [75], [1])
contains(said[0], "error: rank 1 (host ")
contains(said[0], "is gone; of its signs of life, the last one was in ")

# Standing still: nobody's connection breaks.
for victim, text in ((1, "gave no sign of life for 2 s, the last one was in "), (0, "which holds the store, gave no answer for 2 s")):
    trial = Run(f"stopped-{victim}", {rank: ["--rank-timeout", 2] for rank in range(RANKS)}, LASTING)
    await_checkpoint(trial.out, 100)
    trial.hit(victim, signal.SIGSTOP)
    said = trial.end(2 + SOON, [75], [victim])
    contains(said[0] if victim else said[1], text)
    trial.goes_on()

# Alive, but stuck in a step, behind two buckets of weights: six times the limit later. Another rank may take its time with
# what is no step.
trial = Run("stuck", {rank: ["--rank-timeout", 2] for rank in range(RANKS)}, {2: {"STRETTO_FAKE_STUCK": "150"}})
await_checkpoint(trial.out, 100)
said = trial.end(60, [75])
contains(said[0], "error: no rank has got any further for 12 s: rank 2 (host ")
contains(said[0], "): computing in step 150; all others: waiting for exchange 3 of group level0 in step 150; the checkpoint of step 100 is good; go on with: ")
expect(not said[1] + said[2], f"one rank tells what all know, but got {said}")
trial.goes_on()

# One signal to any rank stops all of them after the same step, with a checkpoint.
trial = Run("asked", environments=LASTING)
await_checkpoint(trial.out, 100)
trial.hit(2, signal.SIGTERM)
trial.end(60, [128 + signal.SIGTERM])
trial.goes_on()

# A disk that is full for one rank alone, as it writes its part of the second checkpoint: training goes on. So it does
# with a rank that is slow, which is told.
trial = Run("full", environments={1: {"LD_PRELOAD": faults, "STRETTO_FAULTS_BELOW": f"{folder}/full/ckpt",
                                      "STRETTO_FAULTS_FAIL": "15:28"}, 2: lasting(180, 50)})
said = trial.end(60, [0])
contains(said[0], "could not be written: rank 1: cannot ")
contains(said[0], "No space left on device; earlier checkpoints are intact")
expect(re.search(r"warning: rank 2 \(host \S+\) has been \d+ % slower than the median for 50 steps", said[0]), said[0])
expect(digest_of_ranks(trial.out, STEPS) == expected, "bits differ after a checkpoint that failed")

# No number on one rank: all see it in the same step, and say whose it is.
trial = Run("poisoned", environments={1: {"STRETTO_FAKE_POISON": "40"}})
said = trial.end(60, [1])
contains(said[0], "error: step 40: the loss must be a number, but got nan (virtual rank 1, computed by rank 1); ")
expect(not any("error" in said[rank] for rank in (1, 2)), f"one rank tells what all know, but got {said}")

# What does not fit together, and who does not come.
said = Run("other", {1: ["--lr", 0.5]}).end(60, [1])
contains(said[0], "must run the same as rank 0 (host")
contains(said[0], "but its --lr is 0.5 instead of 0.02")
missing.began = time.monotonic()
contains(missing.end(60, [1])[0], "3 ranks must come within 10 s (--join-timeout), but rank 2 did not")
# (One that comes when the first has ended finds no store, and may look for it twice as long as it would wait for ranks.)
four = {rank: ["--virtual-ranks", 4, "--join-timeout", 10] for rank in range(4)}
said = Run("counts", four, {1: {"STRETTO_RANKS": "2"}}, ranks=4).end(60, [1, 75])
contains("".join(said.values()), "was told of ")
expect("socket.cpp" not in "".join(said.values()), f"texts of libraries must not be told, but got {said}")

# One rank alone has no socket.
alone = subprocess.Popen([program, *map(str, options), "--out", f"{folder}/one"], stdout=subprocess.DEVNULL,
                         env={**os.environ, **lasting(RANKS * 100)})
await_checkpoint(f"{folder}/one", 100)
expect(not sockets(alone), f"a run of one rank must have no socket, but has {sockets(alone)}")
alone.kill()
