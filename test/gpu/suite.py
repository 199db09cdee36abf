"""What the checks share: programs of a prepared folder that train, and PyTorch that does the same."""
import json
import os
import shutil
import sys

import numpy as np

import rows
from checks import expect

HERE = os.path.dirname(os.path.abspath(__file__))
SETTINGS = {"steps": 50, "lr": 3e-3, "schedule": "cosine", "warmup": 5, "final-fraction": 0.1, "weight-decay": 0.1,
            "beta1": 0.9, "beta2": 0.98, "epsilon": 1e-6, "clip": 0.5, "seed": 7}  # fmt: skip
REPEATED = 20  # steps of the runs whose bits are compared
# Sums in another order and approximate functions, over 50 steps that pass them on; measured for the CPU: 6e-7.
F32_TOLERANCE = 1e-4


def settings_of(steps):
    return SETTINGS | {"steps": steps, "warmup": min(SETTINGS["warmup"], steps)}


def words(settings):
    return [word for name, value in settings.items() for word in (f"--{name}", str(value))]


def apart(ours, theirs):
    """The largest relative distance of two curves, and the step."""
    return max((abs(a - b) / abs(b), i) for i, (a, b) in enumerate(zip(ours, theirs, strict=True), 1))


def distance(curve, exact):
    """The same on average."""
    return sum(abs(a - b) / b for a, b in zip(curve, exact, strict=True)) / len(exact)


def gradients_apart(path, exact):
    """How far gradients in a file are from others, by name, each as a part of its norm."""
    found, right = rows.read_safetensors(path), rows.read_safetensors(exact)
    expect(found.keys() == right.keys(), f"gradients have other names: {sorted(found.keys() ^ right.keys())}")
    return {name: float(np.linalg.norm(found[name] - right[name]) / np.linalg.norm(right[name])) for name in right}


class Suite:
    def __init__(self, folder, out, processes, facts):
        self.folder, self.out, self.processes, self.facts = folder, out, processes, facts
        self.emulated, self.programs = facts["emulated"], facts["programs"]
        self.run, self.told = processes.run, ""  # what the latest run said

    def program(self, name):
        return f"{self.folder}/programs/{name}"

    def rows(self, name="f32"):
        """The data of a program: one file for all of one shape."""
        shape = self.programs[name]
        length, vocabulary, documents = shape["length"], shape["vocabulary"], name == "documents"
        path = f"{self.out}/rows-{length}-{vocabulary}{'-documents' if documents else ''}.safetensors"
        if not os.path.exists(path):
            made = rows.make_rows(SETTINGS["steps"] * self.programs["f32"]["batch"], length, vocabulary)
            if documents:
                made["positions"] = rows.make_positions(*made["tokens"].shape)
            rows.write_safetensors(path, made)
        return path

    def train(self, program, name, *more, steps=SETTINGS["steps"], resume=False, quiet=True, **how):
        """Trains into the run directory `name`; returns it. A step that cannot be replayed where it should be is a failure."""
        folder = f"{self.out}/{name}"
        if not resume:
            shutil.rmtree(folder, ignore_errors=True)
        given = ["--resume"] if resume else words(settings_of(steps))
        told = self.run([self.program(program), *given, "--tokens", self.rows(program), "--eval-batches", 0,
                         *(["--quiet"] if quiet else []), *more, "--out", folder], **how)  # fmt: skip
        expect("cannot be replayed" not in told, told[-1500:])
        self.told = told
        return folder

    def short(self, program, name, *more, **how):
        return self.train(program, name, "--save-every", 5, "--keep", 3, *more, steps=REPEATED, **how)

    def python(self, script, *arguments):
        return self.run([sys.executable, f"{HERE}/{script}", *arguments])

    def python_line(self, code):
        """The last line that a piece of Python prints."""
        return self.run([sys.executable, "-c", code]).strip().splitlines()[-1]

    def reference(self, program, start, **settings):
        """What PyTorch makes of the rows of a program, from the weights of a run directory or file; computed once."""
        return self.references(program, start, settings)[0]

    def references(self, program, start, *several):
        """The same with several settings, by one process."""
        usual = {"dtype": "f32", "steps": SETTINGS["steps"], "batch": self.programs[program]["batch"]}
        names, wanted = [], []
        for settings in (usual | each for each in several):
            names.append(f"{self.out}/torch-{program}-{'-'.join(map(str, settings.values()))}")
            given, result, gradients = (f"{names[-1]}.{suffix}" for suffix in ("settings.json", "json", "safetensors"))
            if not os.path.exists(result):
                with open(given, "w", encoding="utf-8") as file:
                    json.dump(settings_of(settings["steps"]) | settings | {"gradients": gradients}, file)
                wanted += [given, result]
        if wanted:
            self.python("reference.py", f"{self.folder}/modules/{program}.py", start, self.rows(program), *wanted)
        return [self.found(name) for name in names]

    @staticmethod
    def found(name):
        with open(f"{name}.json", encoding="utf-8") as file:
            return json.load(file) | {"gradients": f"{name}.safetensors"}

    def start(self, program="f32"):
        """The weights that runs of a program begin with."""
        folder = f"{self.out}/start-{program}"
        if not os.path.exists(folder):
            self.train(program, f"start-{program}", steps=0)
        return f"{folder}/ckpt/00000000/weights.safetensors"

    def same_bits(self, first, second, step):
        """Losses, weights and moments of two runs."""
        expect(rows.losses(first) == rows.losses(second), "losses differ")
        expect(rows.digest(first, step) == rows.digest(second, step), "weights or moments differ")

    def close(self, ours, theirs):
        """Losses of two runs in f32."""
        far, step = apart(ours, theirs)
        expect(far <= F32_TOLERANCE, f"losses are apart by {far:.1e} (step {step}), more than {F32_TOLERANCE}")
        return f"losses apart by at most {far:.1e} (step {step})"
