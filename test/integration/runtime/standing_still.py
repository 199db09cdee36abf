"""Ranks that end or stand still before all are connected: the others say which, within the time.

REQUIRES: runtime
RUN: %python %s %build/test/programs
"""
import os
import re
import signal
import socket
import subprocess
import sys
import time

import torch.distributed as distributed

from harness import expect

RANKS, JOIN, SILENCE = 3, 20, 4
programs = sys.argv[1]


def start(ranks):
    """Some of three ranks, by the variables of torchrun; returns them and their port."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
    command = [f"{programs}/fake_f32", "--task", "rule", "--steps", "5", "--eval-every", "0", "--threads", "1", "--virtual-ranks", RANKS,
               "--out", "none", "--join-timeout", JOIN, "--rank-timeout", SILENCE]
    started = []
    for rank in ranks:
        own = {"RANK": rank, "WORLD_SIZE": RANKS, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": RANKS, "MASTER_PORT": port}
        started.append(subprocess.Popen(list(map(str, command)), env={**os.environ, **{name: str(value) for name, value in own.items()}},
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    return started, port


def end(process, status, limit):
    said = process.communicate(timeout=limit)[0]
    expect(process.returncode == status, f"exit status {process.returncode}, not {status}: {said}")
    return said


def store_of(port):
    return distributed.TCPStore("127.0.0.1", port, is_master=False)


def the_first_one_hit_by(number, said):
    """Rank 0 serves the store, by which the others wait for the last one."""
    (first, second), port = start((0, 1))
    store = store_of(port)
    store.wait(["/hello/0", "/hello/1"])
    time.sleep(1)
    first.send_signal(number)
    told = end(second, 1, JOIN + 4 * SILENCE)
    expect(told == f"error: {said}\n", told)
    first.kill()
    first.communicate()


def one_that_stands_still_when_all_have_come():
    """What a rank leaves that is stopped before it connects to the others."""
    ranks, port = start((0, 1))
    store_of(port).set("/hello/2", f"{RANKS} elsewhere 1 1")
    told = "".join(end(rank, 75, JOIN + 4 * SILENCE) for rank in ranks)
    expect(re.fullmatch(rf"error: rank 2 \(host elsewhere\) gave no sign of life for {SILENCE} s, the last one was in the start\n", told), told)


the_first_one_hit_by(signal.SIGKILL, "rank 0, which holds the store, is gone")
the_first_one_hit_by(signal.SIGSTOP, f"rank 0, which holds the store, gave no answer for {SILENCE} s")
one_that_stands_still_when_all_have_come()
