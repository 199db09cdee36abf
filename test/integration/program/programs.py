"""What the tests of compiled programs share: programs from the cache, and the messages that the manual promises."""
import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "test", "integration", "runtime"))
from harness import contains, digest, digest_of_ranks, expect, obeying_permissions, read, run, until  # noqa: E402, F401

HELLO = os.path.join(ROOT, "models", "hello.stretto")
LLAMA = os.path.join(ROOT, "models", "llama.stretto")
TASK = ["--task", "depo1", "--preset", "one-hop"]
SMALL = ["--batch", "2", "--length", "64", "--set", "dim=16", "--set", "layers=1"]
own_programs = {}  # the folder with those of this test, by the folder of the cache


def empty(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def program(*arguments):
    """The path of a compiled program; compiles it where the cache has none."""
    result = subprocess.run(["stretto", "program", *map(str, arguments)], capture_output=True, text=True)
    expect(result.returncode == 0, f"stretto program {arguments}: {result.stderr}")
    return kept(result.stdout.strip())


def kept(path):
    """The program CACHE/programs/KEY/program under a name of this test's own: tests beside it may fill the cache, which then
    forgets it."""
    programs, key = os.path.split(os.path.dirname(path))
    if programs not in own_programs:
        own_programs[programs] = tempfile.mkdtemp(prefix="kept-", dir=os.path.dirname(programs))
        atexit.register(shutil.rmtree, own_programs[programs], ignore_errors=True)
    own = os.path.join(own_programs[programs], key, "program")
    if not os.path.exists(own):
        os.mkdir(os.path.dirname(own))
        os.link(path, own)
    return own


class Promises:
    """The rows of one table of docs/errors.md. Each has to be checked once."""

    def __init__(self, heading):
        with open(os.path.join(ROOT, "docs", "errors.md"), encoding="utf-8") as file:
            section = file.read().split(f"## {heading}\n")[1].split("\n## ")[0]
        rows = re.findall(r"^\| (.+?) \| `(.+?)`(?: \(.*\))? \|$", section, re.M)
        self.messages = {mistake: message.replace("\\|", "|") for mistake, message in rows}
        self.failures = []
        expect(len(self.messages) == section.count("\n| ") - 1, f"rows under '{heading}' that cannot be read")

    def kept(self, mistake, text):
        """Checks that `text` holds the message of a mistake, and holds it once."""
        pattern = ".*".join(map(re.escape, self.messages.pop(mistake).split("…")))
        found = len(re.findall(pattern, text))
        if found != 1:
            self.failures.append(f"{mistake}: /{pattern}/ must be said once, but was said {found} times in:\n{text}")

    def check(self, mistake, command, status=1, **more):
        """Runs a command that has to fail with the promised message and status; returns all it printed."""
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, **more)
        text = result.stdout + result.stderr
        if result.returncode != status:
            self.failures.append(f"{mistake}: exit status {result.returncode}, not {status}:\n{text}")
        self.kept(mistake, text)
        return text

    def finish(self):
        self.failures += [f"not checked: {mistake}" for mistake in self.messages]
        expect(not self.failures, "\n".join(self.failures))
