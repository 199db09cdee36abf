"""Ranks that end or stand still before all are connected: the others say which, within the time.

REQUIRES: runtime
RUN: %python %s %build/test/programs
"""
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import torch.distributed as distributed

from harness import expect, free_port

RANKS, SILENCE = 3, 10
programs = sys.argv[1]
started = []


def start(ranks, join=120):
    """Some of three ranks, by the variables of torchrun; returns them and the port of their store."""
    port = free_port()
    command = [f"{programs}/fake_f32", "--task", "rule", "--steps", "5", "--eval-every", "0", "--threads", "1", "--virtual-ranks", RANKS,
               "--out", "none", "--join-timeout", join, "--rank-timeout", SILENCE]
    processes = []
    for rank in ranks:
        own = {"RANK": rank, "WORLD_SIZE": RANKS, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": RANKS, "MASTER_PORT": port}
        processes.append(subprocess.Popen(list(map(str, command)), env={**os.environ, **{name: str(value) for name, value in own.items()}},
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    started.extend(processes)
    return processes, port


def end(process, status=75):
    said = process.communicate(timeout=120)[0]
    expect(process.returncode == status, f"exit status {process.returncode}, not {status}: {said}")
    return said


def store_of(port):
    return distributed.TCPStore("127.0.0.1", port, is_master=False)


def the_first_one_hit_by(number, said, **limit):
    """Rank 0 serves the store, by which the others wait for the last one."""
    (first, second), port = start((0, 1), **limit)
    store = store_of(port)
    store.wait(["/hello/0", "/hello/1"])
    first.send_signal(number)
    told = end(second)
    expect(told == f"error: rank 0, which holds the store, {said}\n", told)


def one_that_stands_still_when_all_have_come():
    """What a rank leaves that is stopped before it connects to the others."""
    ranks, port = start((0, 1))
    store_of(port).set("/hello/2", f"{RANKS} elsewhere 1 1")
    told = "".join(map(end, ranks))
    expect(re.fullmatch(rf"error: rank 2 \(host elsewhere\) gave no sign of life for {SILENCE} s, the last one was in the start\n", told), told)


try:
    with ThreadPoolExecutor() as threads:  # limits that pass do so at the same time
        cases = [threads.submit(the_first_one_hit_by, signal.SIGKILL, "is gone"),
                 threads.submit(the_first_one_hit_by, signal.SIGSTOP, f"gave no answer for {SILENCE} s", join=20),
                 threads.submit(one_that_stands_still_when_all_have_come)]
    for case in cases:
        case.result()
finally:
    for process in started:
        process.kill()
        process.communicate()
