"""Ranks on several hosts, which are network namespaces with names of their own and a link between them: started as SLURM
and torchrun do, they have the bits of one rank; a link that is cut ends both sides, and each names the other.

REQUIRES: runtime, namespaces
RUN: %python3 %s %build/test/programs/fake_f32 %t
"""
import atexit
import os
import shutil
import subprocess
import sys
import time

from harness import await_checkpoint, contains, digest_of_ranks, expect, lasting, read, run, until

STEPS, LIMIT = 200, 2
SOON = 8  # seconds for what takes one, as the machine may be busy and slow
program, folder = sys.argv[1:3]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
options = ["--task", "rule", "--steps", STEPS, "--save-every", 100, "--eval-every", 0, "--threads", 1, "--virtual-ranks", 4,
           "--join-timeout", 60, "--task-set", "delay_us=300"]
clean = {name: value for name, value in os.environ.items() if not name.endswith("_SOCKET_IFNAME")}


class Host:
    """A network, a name and names of hosts of its own."""

    def __init__(self, name, address):
        self.name, self.address = name, address
        self.holder = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "sleep", "600"])
        atexit.register(self.holder.kill)
        until(self.is_made, "a host")
        self.run("hostname", name)

    def is_made(self):
        """The namespaces are there, and mounts in them are seen by nobody else, when `unshare` has become `sleep`."""
        expect(self.holder.poll() is None, "the namespaces of a host could not be made")
        return read(f"/proc/{self.holder.pid}/comm") == b"sleep\n"

    def inside(self, *command):
        return ["nsenter", "--target", str(self.holder.pid), "--net", "--uts", "--mount", *map(str, command)]

    def run(self, *command):
        return subprocess.run(self.inside(*command), check=True, capture_output=True, text=True).stdout

    def know(self, *lines):
        """What its file of hosts says."""
        path = f"{folder}/hosts-{self.name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(("127.0.0.1 localhost", *lines, "")))
        self.run("mount", "--bind", path, "/etc/hosts")

    def start(self, environment, *more):
        return subprocess.Popen(self.inside(program, *options, *more), env={**clean, **environment}, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def connect(hosts):
    """A cable between two hosts."""
    ends = [word for end, host in enumerate(hosts) for word in (f"cable{end}", "netns", str(host.holder.pid))]
    subprocess.run(["ip", "link", "add", *ends[:3], "type", "veth", "peer", "name", *ends[3:]], check=True)
    for end, host in enumerate(hosts):
        host.run("ip", "address", "add", f"{host.address}/24", "dev", f"cable{end}")
        for device in ("lo", f"cable{end}"):
            host.run("ip", "link", "set", device, "up")
        host.know(*(f"{other.address} {other.name}" for other in hosts))


def by_hand(rank, ranks, **more):
    """What torchrun sets; one rank on each host."""
    return {"RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "MASTER_ADDR": "node1",
            "MASTER_PORT": "29500", **more}


def by_slurm(rank, node):
    return {"SLURM_STEP_ID": "0", "SLURM_JOB_ID": "4711", "SLURM_PROCID": str(rank), "SLURM_NTASKS": "4",
            "SLURM_LOCALID": str(rank % 2), "SLURM_NODEID": str(node), "SLURM_STEP_TASKS_PER_NODE": "2(x2)",
            "SLURM_STEP_NODELIST": "node[1-2]"}


def end(processes, statuses, limit):
    """What they said when all have ended, in time."""
    ends, said = time.monotonic() + limit, []
    for process in processes:
        try:
            said.append(process.communicate(timeout=max(0.1, ends - time.monotonic()))[0])
        except subprocess.TimeoutExpired:
            for other in processes:
                other.kill()
            sys.exit(f"failed: a rank is alive after {limit} s")
        expect(process.returncode in statuses, f"a rank ends with {process.returncode}: {said[-1]}")
    return said


def expect_bits(out):
    expect(digest_of_ranks(out, STEPS) == expected, f"{out}: the bits differ from those of one rank")


run(program, *options, "--out", f"{folder}/alone", "--quiet")
expected = digest_of_ranks(f"{folder}/alone", STEPS)
hosts = Host("node1", "10.77.0.1"), Host("node2", "10.77.0.2")
connect(hosts)

# Four tasks of SLURM on two nodes; nobody listens on other addresses than those of the cable.
out = f"{folder}/slurm"
ranks = [hosts[rank // 2].start({**by_slurm(rank, rank // 2), **lasting(100, 40)}, "--out", out) for rank in range(4)]
await_checkpoint(out, 100)
for host in hosts:
    lines = [line.split() for line in host.run("sh", "-c", "cat /proc/net/tcp*").splitlines()]
    listening = {words[1].split(":")[0] for words in lines if words[3] == "0A"}
    expect(listening == {f"{int(host.address[-1]):02X}004D0A"}, f"{host.name} listens on {listening}")
said = end(ranks, [0], 120)
contains(said[0], "computed by 4 ranks")
expect_bits(out)

# The link is cut: both sides end, each names the other.
out = f"{folder}/cut"
ranks = [host.start(by_hand(rank, 2, **lasting(200)), "--rank-timeout", LIMIT, "--out", out) for rank, host in enumerate(hosts)]
await_checkpoint(out, 100)
hosts[1].run("ip", "link", "set", "cable1", "down")
cut = time.monotonic()
said = end(ranks, [75], LIMIT + SOON)
print(f"both sides have ended {time.monotonic() - cut:.1f} s after the cut; the limit is {LIMIT} s")
contains(said[0], "error: rank 1 (host node2) gave no sign of life for 2 s, the last one was in ")
contains(said[1], "error: rank 0 (host node1), which holds the store, gave no answer for 2 s; the checkpoint of step ")
hosts[1].run("ip", "link", "set", "cable1", "up")
run(program, "--resume", "--threads", 1, "--quiet", "--out", out)
expect_bits(out)

# A host that knows itself by an address that is no use to others, as Debian sets up, says what to do; that then works.
hosts[0].know("127.0.1.1 node1", "10.77.0.2 node2")
said = end([hosts[0].start(by_hand(0, 2), "--out", "none")], [1], 60)
contains(said[0], "error: this host knows itself (node1) as 127.0.")
contains(said[0], ", where other hosts cannot reach it; name the interface between them: GLOO_SOCKET_IFNAME")
out = f"{folder}/named"
ranks = [host.start(by_hand(rank, 2, GLOO_SOCKET_IFNAME=f"cable{rank}"), "--out", out) for rank, host in enumerate(hosts)]
end(ranks, [0], 120)
expect_bits(out)
