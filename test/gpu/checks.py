"""Checks one after the other, each with a limit of its own: nothing they start outlives it, and what is known is written
after each."""
import json
import os
import signal
import subprocess
import time
import traceback


class Failed(Exception):
    """A check that did not pass; its text says why."""


class Skipped(Exception):
    """A check that has no meaning here; its text says why."""


def expect(condition, text):
    if not condition:
        raise Failed(text)


class Processes:
    """Starts processes in groups of their own, and ends them at the end of the time."""

    def __init__(self, environment, log):
        self.environment, self.log, self.deadline = environment, log, 0.0

    def start(self, command, **more):
        environment = self.environment | {str(k): str(v) for k, v in more.pop("environment", {}).items()}
        self.note(f"$ {' '.join(map(str, command))}")
        return subprocess.Popen([*map(str, command)], env=environment, start_new_session=True, **more)

    def note(self, text):
        with open(self.log, "a", encoding="utf-8") as file:
            file.write(text.rstrip() + "\n")

    def kill(self, process):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait(30)

    def outcome(self, command, limit=None, environment=None):
        """The exit status of a command, and what it printed, both streams. Fails when the time is up."""
        left = self.deadline - time.monotonic()
        limit = left if limit is None else min(limit, left)
        process = self.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                             errors="replace", environment=environment or {})  # fmt: skip
        try:
            text = process.communicate(timeout=max(0.1, limit))[0]
        except subprocess.TimeoutExpired:
            self.kill(process)
            text = process.communicate()[0] or ""
            self.note(text)
            raise Failed(f"{os.path.basename(str(command[0]))} ran past {limit:.0f} s; its last words: {text[-300:]}") from None
        self.note(text)
        return process.returncode, text

    def run(self, command, status=0, **how):
        """What a command printed. Fails at another exit status, too."""
        found, text = self.outcome(command, **how)
        expect(found == status, f"{os.path.basename(str(command[0]))} ended with {found}, not {status}: {text[-1500:]}")
        return text


class Checks:
    """The list of checks and what came of them. `only`: words of which one must be in a check's name; `share`: (K, N), each N-th check
    from the K-th on."""

    def __init__(self, processes, out, budget, only, share, facts):
        self.processes, self.out, self.only, self.share, self.facts = processes, out, only, share, facts
        self.results, self.seen, self.end = [], 0, time.monotonic() + budget

    def is_wanted(self, name):
        if self.only and not any(part in name for part in self.only):
            return False
        self.seen += 1
        number, count = self.share
        return self.seen % count == number % count

    def run(self, name, limit, function):
        """Runs `function`, which returns what there is to say; it must do its work through `processes`."""
        if not self.is_wanted(name):
            return
        start = time.monotonic()
        self.processes.deadline = min(start + limit, self.end)
        self.processes.note(f"=== {name}")
        if self.end - start < 5:
            state, text = "SKIP", "the time of the whole list is up"
        else:
            try:
                state, text = "PASS", function() or ""
            except Skipped as reason:
                state, text = "SKIP", str(reason)
            except Failed as reason:
                is_late = time.monotonic() >= self.end
                state, text = ("SKIP", f"the time of the whole list was up: {reason}") if is_late else ("FAIL", str(reason))
            except Exception:
                state, text = "FAIL", traceback.format_exc()
        seconds = time.monotonic() - start
        self.results.append({"name": name, "state": state, "seconds": round(seconds, 1), "text": text})
        print(f"{state}  {name} ({seconds:.1f} s)" + (f": {text.strip()}" if text.strip() else ""), flush=True)
        with open(f"{self.out}/checks.json", "w", encoding="utf-8") as file:
            json.dump(self.facts | {"checks": self.results}, file, indent=1)

    def summary(self):
        """The exit status; prints the list once more, short, as only the end of long outputs may be kept."""
        counts = {state: sum(r["state"] == state for r in self.results) for state in ("PASS", "FAIL", "SKIP")}
        print("\n" + "\n".join(f"{r['state']}  {r['name']}" for r in self.results))
        print(f"{counts['PASS']} passed, {counts['FAIL']} failed, {counts['SKIP']} skipped")
        return int(counts["FAIL"] > 0 or counts["PASS"] == 0)
