"""Processes that take steps on request, one active at a time."""
import json
import os
import subprocess
import sys
import time

import numpy as np
from safetensors.numpy import save_file

from sizes import case

HERE = os.path.dirname(os.path.abspath(__file__))
REST = 0.01  # seconds until the idle threads of an OpenMP pool have stopped spinning


class Process:
    """A child that answers lines by lines."""

    def __init__(self, command, threads, folder):
        environment = os.environ | {"OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads),
                                    "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor"}
        self.log = open(f"{folder}/log.txt", "a")
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                      text=True, env=environment)
        self.command = command

    def read(self):
        line = self.child.stdout.readline()
        if not line:
            self.log.flush()
            sys.exit(f"{' '.join(self.command)} ended; the end of its log:\n" + open(self.log.name).read()[-3000:])
        time.sleep(REST)
        return line

    def ask(self, request):
        self.child.stdin.write(request + "\n")
        self.child.stdin.flush()
        return self.read()

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class Variant:
    """A named way to make the same step. `canon`: the set of its convolutions, a key of CANON_SETS[model]."""

    def __init__(self, name, canon, process, facts):
        self.name, self.canon, self.process, self.facts = name, canon, process, facts
        self.samples, self.profiles, self.steps = [], [], 1

    @property
    def ours(self):
        return self.name.startswith("stretto")

    def ask(self, request):
        return json.loads(self.process.ask(request))


def write_data(folder, of):
    """The path of a batch of random tokens for a case."""
    rows = np.random.default_rng(0).integers(0, of.vocabulary, (of.batch, of.length + 1)).astype(np.int32)
    path = f"{folder}/data{of.batch}x{of.length}-{of.vocabulary}.safetensors"
    save_file({"tokens": np.ascontiguousarray(rows[:, :-1]), "targets": np.ascontiguousarray(rows[:, 1:])}, path)
    return path


def pytorch_process(worker, words, data, weights, threads, folder):
    """A PyTorch worker that is compiled and has taken its first steps, and what it said of them."""
    process = Process([sys.executable, f"{HERE}/{worker}.py", *words, data, weights, str(threads)], threads, folder)
    return process, json.loads(process.read()) | {"weights": weights}


def pytorch(model, shape, form, mode, threads, folder):
    """A PyTorch variant, ready to step."""
    canon = "none" if form == "none" else "canon"
    process, facts = pytorch_process("pytorch_worker", [model, shape, form, mode], write_data(folder, case(model, shape, canon)),
                                     f"{folder}/weights{shape}-{form}.safetensors", threads, folder)
    name = f"pytorch {mode}" + ("" if form == "none" else f", canon as {form}")
    return Variant(name, canon, process, facts | {"form": form, "mode": mode})


def emitted(of, compiler, mode, threads, folder):
    """The file that --emit=pytorch writes for a case as a variant, ready to step."""
    path = f"{folder}/emitted.py"
    subprocess.run([*of.compile_command(compiler), "--emit=pytorch", "-o", path], check=True)
    process, facts = pytorch_process("emitted_worker", [path, mode], write_data(folder, of),
                                     f"{folder}/weights.safetensors", threads, folder)
    return Variant(f"pytorch {mode}", "as written", process, facts)


def summary(of, compiler):
    """What the compiler says of the memory of a program: bytes kept from forward to backward."""
    text = subprocess.run(of.compile_command(compiler) + ["--summary", "--json"], check=True, capture_output=True,
                          text=True).stdout
    kept = sum(b["bytes"] for b in json.loads(text)["buffers"]
               if b["function"] == "gradients" and b["operation"] == "seq.scan" and "stride" in b
               and b["arena"] == "activations")
    return {"saved": kept + 4 * of.batch * of.length * of.vocabulary}


def stretto(name, canon, of, compiler, weights, threads, folder):
    """Our program for a case, from these weights, or from its own where there are none."""
    program = f"{folder}/program-{canon}"
    start = time.perf_counter()
    subprocess.run(of.compile_command(compiler) + ["-o", program], check=True)
    facts = {"compile_seconds": time.perf_counter() - start} | summary(of, compiler)
    command = [program, "--tokens", write_data(folder, of), "--bench", "--threads", str(threads), "--lr", "1e-4",
               "--beta1", "0.9", "--beta2", "0.98", "--epsilon", "1e-6", "--weight-decay", "0.1", "--clip", "1"]
    process = Process(command + (["--init-from", weights] if weights else []), threads, folder)
    variant = Variant(name, canon, process, facts)
    facts["loss"] = variant.ask("time 1")["loss"]
    variant.ask("time 2")
    return variant


def check_losses(ours, theirs):
    """Ends where variants with the same weights do not begin with the same loss."""
    for other in theirs:
        if abs(ours.facts["loss"] - other.facts["loss"]) > 2e-4:
            sys.exit(f"{other.name}: first loss {other.facts['loss']}, ours {ours.facts['loss']}")


class FmaCheck:
    """Billions of operations a second of one thread and of two at once."""

    def __init__(self, folder):
        program = f"{folder}/fma"
        subprocess.run([os.environ.get("CC", "cc"), "-O3", "-march=native", "-mprefer-vector-width=512", "-pthread",
                        f"{HERE}/fma.c", "-o", program], check=True)
        self.process = Process([program], 1, folder)

    def measure(self):
        one, two = map(float, self.process.ask("").split())
        return {"one": one, "two": two}
