"""The programs of the campaigns: five tasks times four architectures, small."""
import os
import subprocess
from dataclasses import dataclass

TASKS = {
    "copy": ["--preset", "small"],
    "depo1": ["--preset", "one-hop"],
    "brevo2": ["--preset", "small"],
    "mano": ["--preset", "small"],
    "hops": ["--preset", "small"],
}
SPEC = """model small(vocab: int) {
  block mixed(x) {
    h = layer_norm(x)
    a, b = linear(h, 12, bias = true), linear(h, 12)
    a, b = canon(a, b, kernel = 3, bias = true, residual = false)
    return x + linear(silu(a) * shift(b, 1), 12)
  }
  x = embed(tokens, vocab, 12)
  repeat 3 as i { x = mixed(x) * (1 / (i + 1)) + x }
  return linear(rms_norm(x), vocab)
}
"""
ARCHITECTURES = {
    "canon": ["llama.stretto", "--set=dim=16", "--set=layers=2", "--set=heads=2"],
    "grouped": ["llama.stretto", "--set=dim=16", "--set=layers=1", "--set=heads=4", "--set=kv_heads=2",
                "--set=canon_at=", "--set=mlp_kind=standard", "--set=qk_norm=head", "--set=tied=true"],
    "hybrid": ["hybrid.stretto", "--set=dim=8", "--set=layers=4", "--set=heads=2"],
    "spec": [SPEC],
}  # fmt: skip
COUNT = len(TASKS) * len(ARCHITECTURES)
STEPS = 12


@dataclass
class Program:
    """A compiled program, and how it is run."""

    name: str
    task: str
    shared: str
    options: list  # of every run

    def run_options(self, folder, *more):
        return [*self.options, *map(str, more), "--out", folder]


def compiled(tools, task, architecture, *output):
    model, *settings = ARCHITECTURES[architecture]
    if model == SPEC:
        spec = os.path.join(tools.scratch, "small.stretto")
        with open(spec, "w") as file:
            file.write(SPEC)
    else:
        spec = os.path.join(os.path.dirname(__file__), "..", "..", "models", model)
    command = ["stretto", "compile", spec, *settings, "--task", task, *TASKS[task], "--batch", "2", *output]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")


def make_program(tools, number):
    """Program `number` modulo COUNT; compiled once. Short campaigns have two of them."""
    number = number % 2 * (len(TASKS) + 1) if tools.short else number
    task = list(TASKS)[number % len(TASKS)]
    architecture = list(ARCHITECTURES)[number // len(TASKS) % len(ARCHITECTURES)]
    name = f"{task}-{architecture}"
    shared = os.path.join(tools.scratch, f"{name}.so")
    if not os.path.exists(shared):
        machine = os.path.join(tools.scratch, f"{name}.o")
        compiled(tools, task, architecture, "--emit=object", "-o", machine)
        subprocess.run(["ld", "-shared", machine, "-o", shared], check=True)
    options = ["--task", task, *TASKS[task], "--steps", str(STEPS), "--save-every", "2", "--keep", "2", "--eval-every", "4",
               "--eval-batches", "1", "--warmup", "2", "--threads", "1", "--quiet"]  # fmt: skip
    return Program(name, task, shared, options)


def make_executable(tools, number):
    """The same program as a file of its own."""
    program = make_program(tools, number)
    path = os.path.join(tools.scratch, program.name)
    if not os.path.exists(path):
        architecture = program.name.removeprefix(f"{program.task}-")
        compiled(tools, program.task, architecture, "-o", path)
    return path
