"""Processes that take steps on request, one active at a time."""
import json
import os
import subprocess
import sys
import time

import numpy as np
from safetensors.numpy import save_file

from sizes import CANON_SETS, SHAPES, VOCABULARY

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


def write_data(folder, shape):
    _, _, batch, length = SHAPES[shape]
    rows = np.random.default_rng(0).integers(0, VOCABULARY, (batch, length + 1)).astype(np.int32)
    path = f"{folder}/data{shape}.safetensors"
    save_file({"tokens": np.ascontiguousarray(rows[:, :-1]), "targets": np.ascontiguousarray(rows[:, 1:])}, path)
    return path


def pytorch(model, shape, form, mode, threads, folder):
    """A PyTorch variant; waits until it is compiled and has taken its first steps."""
    weights = f"{folder}/weights{shape}-{form}.safetensors"
    process = Process([sys.executable, f"{HERE}/pytorch_worker.py", model, shape, form, mode,
                       write_data(folder, shape), weights, str(threads)], threads, folder)
    ready = json.loads(process.read())
    name = f"pytorch {mode}" + ("" if form == "none" else f", canon as {form}")
    return Variant(name, "none" if form == "none" else "canon", process, {"compile_seconds": ready["compile_seconds"], "loss": ready["loss"],
                                                   "weights": weights, "form": form, "mode": mode})


def compile_command(compiler, model, shape, canon):
    width, layers, batch, length = SHAPES[shape]
    return [compiler, f"{HERE}/../../models/{model}.stretto", "--batch", str(batch), "--length", str(length),
            "--vocab", str(VOCABULARY), "--set", f"dim={width}", "--set", f"layers={layers}",
            "--set", f"canon_at={CANON_SETS[model][canon]}"]


def summary(compiler, model, shape, canon):
    """What the compiler says of the memory of a program: bytes kept from forward to backward."""
    text = subprocess.run(compile_command(compiler, model, shape, canon) + ["--summary", "--json"], check=True,
                          capture_output=True, text=True).stdout
    _, _, batch, length = SHAPES[shape]
    kept = sum(b["bytes"] for b in json.loads(text)["buffers"]
               if b["function"] == "gradients" and b["operation"] == "seq.scan" and "stride" in b
               and b["arena"] == "activations")
    return {"saved": kept + 4 * batch * length * VOCABULARY}


def stretto(compiler, model, shape, canon, weights, threads, folder):
    """Our program, from these weights, or from its own where there are none."""
    program = f"{folder}/{model}{shape}-{canon}"
    start = time.perf_counter()
    subprocess.run(compile_command(compiler, model, shape, canon) + ["-o", program], check=True)
    facts = {"compile_seconds": time.perf_counter() - start} | summary(compiler, model, shape, canon)
    command = [program, "--tokens", write_data(folder, shape), "--bench", "--threads", str(threads), "--lr", "1e-4",
               "--beta1", "0.9", "--beta2", "0.98", "--epsilon", "1e-6", "--weight-decay", "0.1", "--clip", "1"]
    process = Process(command + (["--init-from", weights] if weights else []), threads, folder)
    variant = Variant("stretto" if canon == "none" else f"stretto, {canon}", canon, process, facts)
    facts["loss"] = variant.ask("time 1")["loss"]
    variant.ask("time 2")
    return variant


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
