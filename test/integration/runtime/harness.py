"""What the tests of the trainer share: running programs, reading run directories."""
import glob
import hashlib
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

holders = []  # of ports


def run(program, *arguments, status=0, environment=None):
    """Runs a program; returns what it printed. Fails when its exit status is not the expected one."""
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                            env={**os.environ, **(environment or {})})
    if result.returncode != status:
        sys.exit(f"{program} {arguments}: exit status {result.returncode}, not {status}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def fake_cuda(build, folder):
    """The program fake_cuda and the made-up GPU that is to be loaded before it (LD_PRELOAD), for tests that require
    torch-cuda; and an empty folder."""
    program, gpu = f"{build}/test/programs/fake_cuda", f"{build}/test/programs/libfake_gpu.so"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    expect(os.path.exists(gpu), f"LibTorch has CUDA, but '{gpu}' was not built")
    return program, gpu


def expect(condition, message):
    if not condition:
        sys.exit(f"failed: {message}")


def contains(text, part):
    expect(part in text, f"'{part}' is not in:\n{text}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def until(condition, what, limit=120):
    """Awaits an event; the limit, in seconds, is there to end a test whose event never comes."""
    end = time.monotonic() + limit
    while not condition():
        expect(time.monotonic() < end, f"{what} did not come within {limit} s")
        time.sleep(0.01)


def await_checkpoint(out, step):
    """The checkpoint of a step of a run without evaluations: when the next step is done, each rank knows that it is good."""
    metrics = f"{out}/metrics.jsonl"
    until(lambda: os.path.exists(metrics) and read(metrics).count(b"\n") > step, f"{out}: the step behind {step}")


def children(process):
    """Numbers of the processes that it has started; of ranks in their order."""
    try:
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except FileNotFoundError:
        return []


def lasting(loss, milliseconds=100):
    """The environment of a fake program that takes its time from a loss on: what is done to it then finds it training."""
    return {"STRETTO_FAKE_SLOW": f"{milliseconds}@{loss}"}


def free_port():
    """A port that nobody else gets: while this test lives, a socket has it that does not listen."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("127.0.0.1", 0))
    holders.append(holder)
    return holder.getsockname()[1]


def usual_signals():
    """For what this test starts, signals are what they usually are, also where the test was started by nohup or with `&`."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def obeying_permissions(command):
    """The command as one that the permissions of files hold for, also where root runs it."""
    if os.geteuid() != 0:
        return command
    return ["setpriv", "--inh-caps=-all", "--bounding-set=-dac_override,-dac_read_search", *command]


def digest(folder, step):
    """Hash of weights, moments and metrics of a run at a step: what has to be equal bit for bit."""
    total = hashlib.sha256()
    for name in ("weights.safetensors", "moments.safetensors"):
        total.update(read(f"{folder}/ckpt/{step:08}/{name}"))
    total.update(read(f"{folder}/metrics.jsonl"))
    return total.hexdigest()


def tensors(path):
    """Name -> (dtype, shape, bytes) of a safetensors file."""
    content = read(path)
    start = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:start])
    return {name: (entry["dtype"], entry["shape"], content[slice(*(start + at for at in entry["data_offsets"]))])
            for name, entry in header.items() if name != "__metadata__"}


def digest_of_ranks(folder, step):
    """The same, whichever files ranks have written their parts to: a part is named NAME@FIRST ELEMENT."""
    parts = {}
    for path in glob.glob(f"{folder}/ckpt/{step:08}/*.safetensors"):
        for name, (_, _, data) in tensors(path).items():
            whole, _, first = name.partition("@")
            parts.setdefault(whole, []).append((int(first or 0), data))
    total = hashlib.sha256(read(f"{folder}/metrics.jsonl"))
    for name in sorted(parts):
        total.update(name.encode())
        for _, data in sorted(parts[name]):
            total.update(data)
    return total.hexdigest()
