"""Programs are killed, resumed, killed again; in the end every bit must be as in a run that was left alone.

Case i is a run directory of program i, killed until a resume comes through: at a moment that is drawn, some of them in a
process of its own instead of a fork."""
import random
import shutil
import subprocess
import time

from attempts import Attempts, difference, result_of
from small_programs import make_executable, make_program

CASES, SHORT = 4000, 30  # about 10,000 kills; how many a test has


class Alone:
    """What programs do when nobody disturbs them."""

    def __init__(self, tools, attempts):
        self.tools, self.attempts, self.known = tools, attempts, {}

    def __call__(self, program):
        """The result of a run, and how many seconds it takes."""
        if program.name not in self.known:
            folder = f"{self.tools.folder('alone')}/run"
            for _ in range(2):  # the first one also loads the program
                shutil.rmtree(folder, ignore_errors=True)
                started = time.monotonic()
                end, said = self.attempts.run(program.shared, program.run_options(folder))
                if end != "exit 0":
                    raise RuntimeError(f"{program.name} left alone: {end}\n{said}")
            self.known[program.name] = result_of(folder), time.monotonic() - started
        return self.known[program.name]


class Kills:
    def __init__(self, tools):
        self.tools, self.attempts = tools, Attempts(tools)
        self.alone = Alone(tools, self.attempts)

    def check(self, number):
        """({what was counted: how often}, problems) of a case."""
        draw, program = random.Random(f"kills {number}"), make_program(self.tools, number)
        expected, seconds = self.alone(program)
        folder = f"{self.tools.folder('killed')}/run"
        options = [*program.run_options(folder), "--resume"]
        counts = {"kills": 0, "kills of processes": 0}
        while True:
            if draw.random() < 0.01 and not self.tools.short:
                end, said = self.spawn(number, options, draw.uniform(0.1, 1.5))
                counts["kills of processes"] += end == "signal 9"
            else:
                end, said = self.attempts.run(program.shared, options, delay=draw.uniform(0.02, 0.5) * seconds)
            if end != "signal 9":
                break
            counts["kills"] += 1
        problems = [f"{program.name} after {counts['kills']} kills: {end}: {said}"] if end != "exit 0" else []
        problems += [said] if "warning" in said else []
        found = difference(result_of(folder), expected)
        problems += [f"{program.name} after {counts['kills']} kills: {found}"] if found else []
        return counts, problems

    def spawn(self, number, options, delay):
        """The same in a process that loads LibTorch by itself."""
        process = subprocess.Popen([make_executable(self.tools, number), *options], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)  # fmt: skip
        try:
            _, said = process.communicate(timeout=delay)
            return f"exit {process.returncode}", said
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "signal 9", ""
