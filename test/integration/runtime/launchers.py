"""Ranks that are started by other programs than `stretto`: torchrun itself, with one restart, and mpirun where there is
one; numbers that are given twice, another program, ports that are in use. Which sockets ranks open is seen by strace.

REQUIRES: runtime, strace
RUN: %python3 %s %build/test/programs %python %t
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from harness import await_checkpoint, children, contains, digest_of_ranks, expect, free_port, lasting, read, run, until

STEPS, RANKS = 200, 2
programs, python, folder = sys.argv[1:4]
program = f"{programs}/fake_f32"
options = [*map(str, ("--task", "rule", "--steps", STEPS, "--save-every", 50, "--eval-every", 0, "--threads", 1,
                      "--virtual-ranks", RANKS, "--join-timeout", 60, "--task-set", "delay_us=300"))]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
run(program, *options, "--out", f"{folder}/alone", "--quiet")
expected = digest_of_ranks(f"{folder}/alone", STEPS)


def start(rank, port, out, *more, ranks=RANKS, of=program, cwd=None):
    """A rank, by the variables of torchrun."""
    variables = {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": ranks, "MASTER_PORT": port}
    return subprocess.Popen([of, *options, "--out", out, *more], env={**os.environ, **{k: str(v) for k, v in variables.items()}},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd)


def end(process, status, limit=120):
    try:
        said = process.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f"failed: {process.args} is alive after {limit} s: {process.communicate()[0]}")
    expect(process.returncode == status, f"exit status {process.returncode}, not {status}: {said}")
    return said


def expect_bits(out):
    expect(digest_of_ranks(out, STEPS) == expected, f"{out}: the bits differ from those of one rank")


def a_number_that_is_given_twice():
    """The second one that comes ends at once; the others do not notice."""
    port, out = free_port(), f"{folder}/twice"
    ranks = [start(rank, port, out, "--steps", "1000000") for rank in range(RANKS)]
    until(lambda: os.path.exists(f"{out}/ckpt/latest"), "a checkpoint")
    said = end(start(1, port, out), 1)
    expect(re.fullmatch(rf"error: each rank must be started once, but RANK is 1 here and in process {ranks[1].pid} on host \S+\n", said), said)
    contains(end(start(0, port, "none"), 1), f"error: the store must listen on 127.0.0.1:{port}, but the port is in use; set MASTER_PORT to another\n")
    ranks[1].send_signal(signal.SIGTERM)
    for rank in ranks:
        end(rank, 128 + signal.SIGTERM)


def a_number_that_is_given_twice_at_once():
    """One of the two is there, and the number that is missing is told to it."""
    said = [end(rank, 1) for rank in twice]
    expect(sum("each rank must be started once" in text for text in said) == 1, f"{said}")
    expect(sum("3 ranks must come within 10 s (--join-timeout), but rank 2 did not" in text for text in said) == 2, f"{said}")


def another_program():
    port = free_port()
    ranks = [start(0, port, "none"), start(1, port, "none", of=f"{programs}/fake_other")]
    said = end(ranks[0], 1) + end(ranks[1], 1)
    expect(re.fullmatch(r"error: rank 1 \(host \S+\) must run the same as rank 0 \(host \S+\), but its spec hash is f{32} instead of \w{32}\n",
                        said), said)


def other_weights_under_one_name():
    """Ranks that run in folders of their own: those that read other weights than rank 0 do not train with them."""
    for seed in (1, 2):
        run(program, *options, "--steps", "50", "--seed", seed, "--quiet", "--out", f"{folder}/host{seed}/run")
    port = free_port()
    ranks = [start(rank, port, "none", "--steps", "5", "--init-from", "run", cwd=f"{folder}/host{rank + 1}") for rank in range(RANKS)]
    said = end(ranks[0], 1) + end(ranks[1], 1)
    expect(re.search(r"^error: rank 1 must begin with the weights of rank 0, but has others under 'run/ckpt/00000050/weights.safetensors', "
                     r"with the checksum \w{32} instead of \w{32}$", said, re.M), said)


def the_first_rank_chooses():
    """A rank whose newest checkpoint is another one than that of rank 0 takes that of rank 0."""
    run(program, *options, "--steps", "100", "--quiet", "--out", f"{folder}/chosen0/run")
    shutil.copytree(f"{folder}/chosen0/run", f"{folder}/chosen1/run")
    shutil.rmtree(f"{folder}/chosen0/run/ckpt/00000100")
    port, out = free_port(), f"{folder}/chosen"
    ranks = [start(rank, port, out, "--steps", "5", "--init-from", "run", cwd=f"{folder}/chosen{rank}") for rank in range(RANKS)]
    for rank in ranks:
        end(rank, 0)
    for rank in range(RANKS):
        contains(read(f"{out}/log/rank-{rank:02}.txt").decode(), "weights: run/ckpt/00000050/weights.safetensors\n")


def torchrun():
    """A rank is killed: torchrun starts all of them again, and they go on from the checkpoint."""
    out = f"{folder}/torchrun"
    agent = subprocess.Popen([python, "-m", "torch.distributed.run", "--standalone", "--no-python", "--nproc-per-node", str(RANKS),
                              "--max-restarts", "1", "--monitor-interval", "0.1", "--local-addr", "127.0.0.1", program, *options, "--resume", "--out", out],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             env={**os.environ, **lasting(50, 30)})
    await_checkpoint(out, 50)
    with open(f"/proc/{agent.pid}/task/{agent.pid}/children", encoding="utf-8") as file:
        children = [int(word) for word in file.read().split()]
    victims = [pid for pid in children if os.path.realpath(f"/proc/{pid}/exe") == os.path.realpath(program)]
    expect(len(victims) == RANKS, f"torchrun has {victims} of {children}")
    os.kill(victims[1], signal.SIGKILL)
    said = end(agent, 0)
    contains(said, "resumed from checkpoint")
    expect_bits(out)


def mpirun():
    """Open MPI, which Debian has as openmpi-bin."""
    if not shutil.which("mpirun"):
        return print("no mpirun: passed over")
    out = f"{folder}/mpirun"
    run("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", RANKS, program, *options, "--out", out,
        environment={"MASTER_PORT": str(free_port())})
    expect_bits(out)


def sockets(*command):
    """Families of the sockets that a program opens, and the addresses that they are given."""
    trace = f"{folder}/trace"
    subprocess.run(["strace", "--follow-forks", "--seccomp-bpf", "--quiet=all", "--trace=socket,bind,connect", f"--output={trace}",
                    *command, "--steps", "5", "--out", "none", "--quiet"], check=True, timeout=120)
    with open(trace, encoding="utf-8") as file:
        text = file.read()
    addresses = re.findall(r'port=htons\((\d+)\).*?(?:inet_addr\(|AF_INET6, )"(.*?)"', text)
    return set(re.findall(r"socket\((\w+)", text)), {address for port, address in addresses if port != "53"}


def sockets_of_ranks():
    """Netlink asks the kernel which interfaces there are; c10d asks for the names of addresses, at port 53."""
    families, addresses = sockets(program, *options, "--ranks", "2")
    expect(families <= {"AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"} and "AF_INET" in families, f"{families}")
    expect(addresses <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"} and "127.0.0.1" in addresses, f"{addresses}")
    families, addresses = sockets(program, *options)
    expect(not families and not addresses, f"a run of one rank opens {families} {addresses}")


def profiles():
    """Each rank has a table of its own, with what it spent in exchanges; the first one's is printed."""
    out = f"{folder}/profiled"
    printed = run(program, *options, "--steps", "30", "--ranks", "2", "--profile", "--quiet", "--out", out)
    tables = [read(f"{out}/log/profile-{rank:02}.txt").decode() for rank in range(2)]
    expect(printed == tables[0] and tables[0] != tables[1], f"{printed}\n{tables}")
    for table in tables:
        exchange = re.search(r"^  exchange +([\d.]+) ms", table, re.M)
        expect(exchange and float(exchange[1]) > 0, table)


def a_rank_that_is_halted():
    """It hears of nothing, so it is not waited for, and says nothing when it goes on: the other one tells of it."""
    for victim, reason in ((0, r"rank 0 \(host \S+\), which holds the store, gave no answer for 2 s"),
                           (1, r"rank 1 \(host \S+\) gave no sign of life for 2 s, the last one was in ")):
        out = f"{folder}/halted-{victim}"
        process = subprocess.Popen([program, *options, "--ranks", "2", "--rank-timeout", "2", "--quiet", "--out", out], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **lasting(100)})
        await_checkpoint(out, 100)
        os.kill(children(process)[victim], signal.SIGSTOP)
        errors = re.findall("^error: (.*)", end(process, 75), re.M)
        expect(len(errors) == 1 and re.search(reason, errors[0]), f"{errors}")


# They have time to come while other ranks are looked at.
port = free_port()
twice = [start(rank, port, "none", "--virtual-ranks", "3", "--join-timeout", "10", ranks=3) for rank in (0, 1, 1)]
for check in (a_number_that_is_given_twice, another_program, other_weights_under_one_name, the_first_rank_chooses, torchrun,
              a_number_that_is_given_twice_at_once, mpirun, sockets_of_ranks, profiles, a_rank_that_is_halted):
    began = time.monotonic()
    check()
    print(f"{check.__name__}: {time.monotonic() - began:.1f} s")
