"""Rows to train on, and the files they travel in. Needs numpy."""
import glob
import hashlib
import json
import struct

import numpy as np

NAMES = {"int32": "I32", "uint8": "U8", "float32": "F32", "float64": "F64"}


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        end = len(data) + value.nbytes
        header[name] = {"dtype": NAMES[str(value.dtype)], "shape": list(value.shape), "data_offsets": [len(data), end]}
        data += np.ascontiguousarray(value).tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    types = {short: name for name, short in NAMES.items()}
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()}


def make_rows(count, length, vocabulary, seed=11):
    """Rows in which most tokens repeat the one some places before, so that there is something to learn; a tenth of the
    targets does not count."""
    random = np.random.RandomState(seed)
    tokens = random.randint(0, vocabulary, (count, length + 1)).astype(np.int32)
    repeats = random.rand(count, length + 1) < 0.8
    for t in range(5, length + 1):
        tokens[:, t] = np.where(repeats[:, t], tokens[:, t - 5], tokens[:, t])
    mask = (random.rand(count, length) < 0.9).astype(np.uint8)
    return {"tokens": np.ascontiguousarray(tokens[:, :-1]), "targets": np.ascontiguousarray(tokens[:, 1:]), "mask": mask}


def make_positions(count, length, seed=12):
    """Places in documents: up to eight of them in a row, of different lengths."""
    random, positions = np.random.RandomState(seed), np.zeros((count, length), np.int32)
    for row in positions:
        starts = np.unique(np.append(0, random.randint(0, length, random.randint(0, 8))))
        for begin, end in zip(starts, np.append(starts[1:], length)):
            row[begin:end] = np.arange(end - begin)
    return positions


def digest(folder, step):
    """Of weights and moments of a checkpoint: what has to be equal bit for bit."""
    total = hashlib.sha256()
    for name in ("weights.safetensors", "moments.safetensors"):
        with open(f"{folder}/ckpt/{step:08}/{name}", "rb") as file:
            total.update(file.read())
    return total.hexdigest()


def digest_of_ranks(folder, step):
    """The same of a checkpoint that ranks have written, each its part: one is named NAME@FIRST ELEMENT."""
    parts = {}
    for path in glob.glob(f"{folder}/ckpt/{step:08}/*.safetensors"):
        for name, value in read_safetensors(path).items():
            whole, _, first = name.partition("@")
            parts.setdefault(whole, []).append((int(first or 0), value.tobytes()))
    total = hashlib.sha256()
    for name in sorted(parts):
        total.update(name.encode() + b"".join(data for _, data in sorted(parts[name])))
    return total.hexdigest()


def losses(folder):
    """The losses of a run, by step."""
    with open(f"{folder}/metrics.jsonl", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    return [line["loss"] for line in lines if "loss" in line and "eval_loss" not in line]


def evaluation(folder):
    """The last evaluation of a run: (loss, right predictions, of how many)."""
    with open(f"{folder}/metrics.jsonl", encoding="utf-8") as file:
        line = [json.loads(line) for line in file if "eval_loss" in line][-1]
    right, total = line["scores"]["token_accuracy"]
    return line["eval_loss"], right, total
