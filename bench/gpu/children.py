"""Processes that answer lines of requests by lines of JSON, with a limit for each answer."""
import contextlib
import json
import os
import select
import signal
import subprocess
import time


class Ended(Exception):
    """A child that ended or did not answer in time; the text holds its last words."""


class Child:
    def __init__(self, command, log, environment=None):
        self.log_path = log
        self.log = open(log, "w", encoding="utf-8")
        self.process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                                        env=os.environ | (environment or {}), start_new_session=True)  # fmt: skip
        self.pending = b""

    def last_words(self):
        self.log.flush()
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()[-1500:].strip()

    def poll(self, seconds):
        """An answer, or None where none came in so many seconds."""
        end = time.monotonic() + seconds
        while b"\n" not in self.pending:
            left = end - time.monotonic()
            if not select.select([self.process.stdout], [], [], max(0, left))[0]:
                return None
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise Ended(f"ended with {self.process.wait()}: {self.last_words()}")
            self.pending += more
        line, self.pending = self.pending.split(b"\n", 1)
        return json.loads(line)

    def ask(self, request, limit=60):
        try:
            self.process.stdin.write(request.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Ended(f"ended with {self.process.wait()}: {self.last_words()}") from None
        answer = self.poll(limit)
        if answer is None:
            self.kill()
            raise Ended(f"gave no answer to '{request}' in {limit} s")
        return answer

    def signal(self, number):
        """To the child and all that it started."""
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.log):
            try:
                stream.close()
            except BrokenPipeError:
                pass


class Variant:
    """A way to make a step: `settings` for worker.py, or a command of ours."""

    def __init__(self, name, settings, command, environment=None):
        self.name, self.settings, self.command, self.environment = name, settings, command, environment
        self.child, self.facts, self.problem, self.samples = None, {}, "", []

    def start(self, folder):
        slug = "".join(c if c.isalnum() else "-" for c in self.name)
        command = list(self.command)
        if self.settings:
            path = f"{folder}/{slug}.json"
            with open(path, "w", encoding="utf-8") as file:
                json.dump(self.settings, file)
            command.append(path)
        self.child = Child(command, f"{folder}/{slug}.log", self.environment)

    def fail(self, problem):
        self.problem = str(problem)
        self.close()
        print(f"  {self.name}: {self.problem[-400:]}", flush=True)

    def close(self):
        if self.child:
            self.child.kill()
        self.child = None

    def time(self, steps, limit=60):
        """Takes steps, no more than fill a second; a sample is the median of their seconds."""
        if self.child:
            steps = max(1, min(steps, int(1 / self.samples[-1]))) if self.samples else min(steps, 2)
            try:
                seconds = sorted(self.child.ask(f"time {steps}", limit)["seconds"])
                self.samples.append(seconds[len(seconds) // 2])
            except Ended as problem:
                self.fail(problem)

    def ask(self, request, limit=60):
        """An answer, or None where the child is gone."""
        if self.child:
            try:
                return self.child.ask(request, limit)
            except Ended as problem:
                self.fail(problem)
        return None


@contextlib.contextmanager
def stopped(variants):
    """They stand still, so that something can be timed; what they gave the GPU to do comes to its end first."""
    children = [v.child for v in variants if v.child]
    for child in children:
        child.signal(signal.SIGSTOP)
    time.sleep(0.5 if children else 0)
    try:
        yield
    finally:
        for child in children:
            child.signal(signal.SIGCONT)


def start_all(variants, folder, at_once, deadline, note=lambda: None, ready=lambda variant, others: None):
    """Starts variants in order, at most `at_once` of them getting ready at a time; those that are not ready at the deadline
    are ended. A ready one has its facts; `ready` is told of it and of those that are still getting ready."""
    waiting, starting = list(variants), []
    while waiting or starting:
        while waiting and len(starting) < at_once:
            starting.append(waiting.pop(0))
            starting[-1].start(folder)
        for variant in list(starting):
            try:
                answer = variant.child.poll(0.2)
            except (Ended, ValueError) as problem:
                variant.fail(problem)
                answer = {}
            if answer is None and time.monotonic() > deadline:
                variant.fail("was not ready in time")
                answer = {}
            if answer is not None:
                starting.remove(variant)
                variant.facts |= answer
                if variant.child:
                    print(f"  {variant.name}: ready, {answer}", flush=True)
                    ready(variant, starting)
                note()
        if time.monotonic() > deadline:
            for variant in waiting:
                variant.problem = "was not started in time"
            waiting = []
