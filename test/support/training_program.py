"""Compiles specs and runs what the compiler made of them, on given weights and tokens."""
import json
import os
import shutil
import struct
import subprocess
import tempfile
from dataclasses import dataclass

import numpy as np

from oracle import options_of, run, write_spec

LIBRARIES = []  # of extensions, which compiled objects are linked with
DTYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32}


def write_safetensors(path, tensors):
    names = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
    header, data = {}, b""
    for name, value in tensors.items():
        end = len(data) + value.nbytes
        header[name] = {"dtype": names[value.dtype], "shape": list(value.shape), "data_offsets": [len(data), end]}
        data += np.ascontiguousarray(value).tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__", None)
    return {
        name: np.frombuffer(data[slice(*entry["data_offsets"])], DTYPES[entry["dtype"]]).reshape(entry["shape"])
        for name, entry in header.items()
    }


def compile_object(case, folder, *options, dtype="f64"):
    """The path of a shared object: what the compiler makes of a case, linked with LIBRARIES and, where kernels are
    emulated, the emulator alone."""
    machine, shared = os.path.join(folder, "model.o"), os.path.join(folder, "model.so")
    compiler = ["stretto-compile", write_spec(case, folder), *options_of(case), *options]
    run([*compiler, "--dtype", dtype, "--emit=object", "-o", machine])
    libraries = os.path.join(os.path.dirname(shutil.which("stretto-compile")), "..", "lib")
    needed = LIBRARIES + (["stretto_emulator"] if "--emulate" in options else [])
    search = [f"-L{libraries}", "-rpath", libraries] if needed else []
    run(["ld", "-shared", machine, *search, *(f"-l{name}" for name in needed), "-o", shared])
    return shared


@dataclass
class Step:
    loss: float
    gradients: dict  # by name
    mean_nll: float  # of the rows whose weight is not zero
    right: int  # how many of these are predicted


class Programs:
    """One process that runs compiled models one after the other: starting a process for each would take longer than
    all the rest."""

    def __init__(self):
        self.messages = tempfile.TemporaryFile("a+")
        self.start()

    def start(self):
        self.server = subprocess.Popen(["stretto-serve-programs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=self.messages, text=True)  # fmt: skip

    def run(self, shared, *arguments):
        """Runs a compiled model as `program arguments...`; raises where it fails or brings the process down."""
        self.messages.truncate(0)
        self.server.stdin.write("\t".join((shared, *arguments)) + "\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline().strip()
        if answer == "status 0":
            return
        if not answer:
            answer = f"the process ended with {self.server.wait()}"
            self.start()
        self.messages.seek(0)
        raise RuntimeError(f"{shared} {' '.join(arguments)}: {answer}\n{self.messages.read()}")

    def step(self, shared, parameters, data):
        """What one step from given weights on (tokens, targets, weights), and positions where the program keeps documents
        apart, computes, without changing the weights, and the evaluation of the same rows."""
        tokens, targets, weights, *positions = data
        with tempfile.TemporaryDirectory() as folder:
            names = {each: os.path.join(folder, f"{each}.safetensors") for each in ("weights", "tokens", "gradients")}
            write_safetensors(names["weights"], parameters)
            batch = {"tokens": tokens.astype(np.int32), "targets": targets.astype(np.int32), "weights": weights}
            batch |= {"positions": each.astype(np.int32) for each in positions}
            write_safetensors(names["tokens"], batch)
            files = ["--tokens", names["tokens"], "--init-from", names["weights"], "--dump-gradients", names["gradients"]]
            still = ["--steps", "1", "--lr", "0", "--warmup", "0", "--eval-batches", "1", "--threads", "1", "--quiet"]
            self.run(shared, *files, *still, "--out", os.path.join(folder, "run"))
            with open(os.path.join(folder, "run", "metrics.jsonl")) as file:
                step, evaluation = (json.loads(line) for line in file)
            right, _ = evaluation["scores"]["token_accuracy"]
            return Step(step["loss"], read_safetensors(names["gradients"]), evaluation["eval_loss"], right)
