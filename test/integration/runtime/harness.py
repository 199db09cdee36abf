"""What the tests of the trainer share: running programs, reading run directories."""
import hashlib
import os
import subprocess
import sys


def run(program, *arguments, status=0, environment=None):
    """Runs a program; returns what it printed. Fails when its exit status is not the expected one."""
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True,
                            env={**os.environ, **(environment or {})})
    if result.returncode != status:
        sys.exit(f"{program} {arguments}: exit status {result.returncode}, not {status}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def expect(condition, message):
    if not condition:
        sys.exit(f"failed: {message}")


def contains(text, part):
    expect(part in text, f"'{part}' is not in:\n{text}")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def digest(folder, step):
    """Hash of weights, moments and metrics of a run at a step: what has to be equal bit for bit."""
    total = hashlib.sha256()
    for name in ("weights.safetensors", "moments.safetensors"):
        total.update(read(f"{folder}/ckpt/{step:08}/{name}"))
    total.update(read(f"{folder}/metrics.jsonl"))
    return total.hexdigest()
