"""Compiles specs to training programs and runs them on given weights and tokens."""
import json
import os
import struct

import numpy as np

from oracle import run, write_spec

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


def compile_program(case, folder, *options, dtype="f64"):
    """The path of the program."""
    program = os.path.join(folder, "program")
    shape = ["--batch", str(case.batch), "--length", str(case.length), "--vocab", str(case.vocabulary)]
    settings = [f"--set={name}={value}" for name, value in case.settings.items()]
    spec = write_spec(case, folder)
    run(["stretto-compile", spec, *shape, *settings, "--dtype", dtype, *options, "-o", program])
    return program


def run_program(program, folder, parameters, data, *options):
    """Trains from given weights on given (tokens, targets, weights), whose rows are taken in order; the rows of
    metrics.jsonl and the gradients of the first step by name."""
    real = next(iter(parameters.values())).dtype
    tokens, targets, weights = data
    names = {each: os.path.join(folder, f"{each}.safetensors") for each in ("weights", "tokens", "gradients")}
    write_safetensors(names["weights"], parameters)
    batch = {"tokens": tokens.astype(np.int32), "targets": targets.astype(np.int32), "weights": weights.astype(real)}
    write_safetensors(names["tokens"], batch)
    out = os.path.join(folder, "run")
    files = ["--tokens", names["tokens"], "--init-from", names["weights"], "--dump-gradients", names["gradients"]]
    run([program, *files, "--out", out, "--eval-batches", "0", "--quiet", *options])
    with open(os.path.join(out, "metrics.jsonl")) as file:
        lines = [json.loads(line) for line in file]
    return lines, read_safetensors(names["gradients"])
