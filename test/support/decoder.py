"""The program stretto-decode (test/lib/stretto-decode.cpp), which answers requests by lines. Needs no compiler."""
import subprocess

import numpy as np


class Decoder:
    """One process, started by `command`, with the decode entries of a model."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline().strip()) != "done":
            if not line or line.startswith("error: "):
                raise RuntimeError(f"{request}: {line or 'the process ended'}")
            lines.append(line)
        return lines

    def restart(self, slot):
        self.ask(f"restart {slot}")

    def append(self, tokens):
        """The logits of the next token of each sequence; `tokens`: lists by slot."""
        words = [f"{slot}:{','.join(map(str, some))}" for slot, some in tokens.items()]
        lines = [line.split() for line in self.ask("append " + " ".join(words))]
        return {int(slot): np.array([float(number) for number in numbers]) for slot, *numbers in lines}

    def close(self):
        self.process.stdin.close()
        self.process.wait()
