"""Runs of compiled programs by the thousand: see attempts.cpp, and faults.h for what can be done to them."""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass


@dataclass
class Tools:
    """Where the tools of a build are, and where runs may lie."""

    build: str
    scratch: str
    short: bool

    @classmethod
    def of(cls, build, short=False):
        build = os.path.abspath(build)
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        os.environ["PATH"] = os.path.join(build, "bin") + os.pathsep + os.environ["PATH"]
        return cls(build, tempfile.mkdtemp(prefix="stretto-campaign-", dir=memory), short)

    @property
    def faults(self):
        return os.path.join(self.build, "test", "campaign", "libstretto_faults.so")

    def folder(self, name):
        """An empty folder of that name."""
        path = os.path.join(self.scratch, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def end(self):
        shutil.rmtree(self.scratch, ignore_errors=True)


def tell_faults(**settings):
    """The settings of the library of faults, as the environment has them."""
    return {f"STRETTO_FAULTS_{name.upper()}": str(value) for name, value in settings.items()}


class Attempts:
    """One process that forks an attempt after the other."""

    def __init__(self, tools):
        self.output = os.path.join(tools.scratch, "output")
        environment = {**os.environ, "LD_PRELOAD": tools.faults}
        if not os.path.exists(tools.faults):  # the linker would leave it out, and nothing would ever fail
            raise FileNotFoundError(f"{tools.faults} is missing: ninja -C {tools.build}")
        self.server = subprocess.Popen(["stretto-attempts"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                       env=environment)  # fmt: skip

    def ask(self, *words, lines=1):
        self.server.stdin.write("\t".join(map(str, words)) + "\n")
        self.server.stdin.flush()
        answers = [self.server.stdout.readline().strip() for _ in range(lines)]
        if not all(answers):
            raise RuntimeError(f"stretto-attempts ended with {self.server.wait()} at: {words}")
        return answers

    def run(self, program, arguments, delay=0, faults=None):
        """How a run ended, `exit N` or `signal N`, and what it said. Killed after `delay` seconds, if any."""
        settings = ",".join(f"{name}={value}" for name, value in (faults or {"NONE": ""}).items())
        (end,) = self.ask("run", program, int(delay * 1e6), self.output, settings, *arguments)
        with open(self.output, errors="replace") as file:
            return end, file.read()

    def inspect(self, program, folders):
        """For each run directory what a resume would find: see inspect.h."""
        return self.ask("inspect", program, *folders, lines=len(folders))


def plain(path):
    """A name without what differs from run to run: the time in the name of an event file."""
    return re.sub(r"tfevents\.[\d.]+", "tfevents.", path)


def result_of(folder):
    """What two runs of the same model and data must share: {name: content} of checkpoints and metrics; for every other
    file its name alone. Names show what is left lying around."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            relative = os.path.relpath(path, folder)
            found[plain(relative)] = ""
            if relative == "metrics.jsonl" or relative.startswith("ckpt"):
                with open(path, "rb") as file:
                    found[plain(relative)] = hashlib.sha256(file.read()).hexdigest()
    return found


def difference(found, expected):
    """What of two results differs; empty where they are the same."""
    names = sorted(name for name in found.keys() | expected.keys() if found.get(name) != expected.get(name))
    how = {True: "differs", False: "is on one side only"}
    return ", ".join(f"{name} {how[name in found and name in expected]}" for name in names[:6])
