"""Ranks that find no other, or others that want something else: one message, within the time, and a signal ends them.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs %t
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from harness import contains, expect

programs, folder = sys.argv[1:3]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)


def start(rank, port, *more, **environment):
    """One of two ranks, by the variables of torchrun."""
    variables = {"RANK": rank, "WORLD_SIZE": 2, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": 2, "MASTER_PORT": port}
    command = [f"{programs}/fake_f32", "--task", "rule", "--steps", "5", "--eval-every", "0", "--threads", "1", *more]
    return subprocess.Popen(command, env={**os.environ, **{name: str(value) for name, value in variables.items()}, **environment},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def end(process, status, limit=60):
    said = process.communicate(timeout=limit)[0]
    expect(process.returncode == status, f"exit status {process.returncode}, not {status}: {said}")
    return said


def port_without_listener():
    holder = socket.socket()
    holder.bind(("127.0.0.1", 0))
    return holder, holder.getsockname()[1]


def nobody_is_there():
    holder, port = port_without_listener()
    began = time.monotonic()
    said = end(start(1, port, "--out", "none", "--join-timeout", "3"), 1)
    expect(said == f"error: rank 1 cannot reach the store at 127.0.0.1:{port}: nothing has listened there for 3 s\n", said)
    expect(3 <= time.monotonic() - began < 20, f"it took {time.monotonic() - began:.1f} s")
    holder.close()


def somebody_else_is_there():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        said = end(start(1, port, "--out", "none", "--join-timeout", "2"), 1)
    expect(said == f"error: rank 1 cannot reach the store at 127.0.0.1:{port}: what listens there does not answer as the store of a run\n", said)


def a_store_that_nobody_finds():
    holder, port = port_without_listener()
    holder.close()
    elsewhere = {"MASTER_ADDR": "192.0.2.1", "LOCAL_WORLD_SIZE": "1"}  # an address of documentation: no host has it
    said = end(start(0, port, "--out", "none", "--join-timeout", "2", **elsewhere), 1)
    expect(said == f"error: rank 0 cannot reach the store at 192.0.2.1:{port}: this rank serves the store itself, and that address does not lead to it\n", said)


def an_interface_that_is_missing():
    holder, port = port_without_listener()
    holder.close()
    first = start(0, port, "--out", "none", "--join-timeout", "50")
    said = end(start(1, port, "--out", "none", "--join-timeout", "20", GLOO_SOCKET_IFNAME="none7"), 1)
    expect(said == "error: GLOO_SOCKET_IFNAME must name an interface of this host that has an address, but got 'none7'\n", said)
    first.kill()
    first.communicate()


def a_signal_while_it_waits():
    holder, port = port_without_listener()
    rank = start(1, port, "--out", "none", "--join-timeout", "50")
    time.sleep(1)
    rank.send_signal(signal.SIGTERM)
    end(rank, -signal.SIGTERM, limit=20)
    holder.close()


def one_that_does_something_else():
    for number, (options, name, usual, own) in enumerate(((["--resume"], "kind of run", "training", "training --resume"),
                                                          (["--out", "none"], "kind of run", "training", "training --out none"),
                                                          (["--device", "null-async"], "device", "cpu", "null-async"))):
        for other in range(2):
            holder, port = port_without_listener()
            holder.close()
            out = f"{folder}/other-{number}-{other}"
            ranks = [start(rank, port, *([] if rank == other and "--out" in options else ["--out", out]),
                           *(options if rank == other else [])) for rank in range(2)]
            said = end(ranks[0], 1) + end(ranks[1], 1)
            found = (usual, own) if other == 0 else (own, usual)
            expect(re.fullmatch(r"error: rank 1 \(.*\) must run the same as rank 0 \(.*\), "
                                rf"but its {name} is {found[0]} instead of {found[1]}\n", said), said)


def a_folder_that_is_taken():
    """What stops the first rank is told to the others."""
    out = f"{folder}/taken"
    os.makedirs(f"{out}/ckpt/00000005")
    holder, port = port_without_listener()
    holder.close()
    ranks = [start(rank, port, "--out", out) for rank in range(2)]
    contains(end(ranks[0], 1) + end(ranks[1], 1), f"error: rank 0: run directory '{out}' must be new, but has checkpoints")


for check in (nobody_is_there, somebody_else_is_there, a_store_that_nobody_finds, an_interface_that_is_missing, a_signal_while_it_waits,
              one_that_does_something_else, a_folder_that_is_taken):
    check()
