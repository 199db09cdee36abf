"""Stands between run.py and a program of ours: takes first steps, says that it is ready, and passes requests on.

    ready.py PROGRAM OPTIONS...

The first steps load code, try out attention and capture the graph; `compile_seconds` is how long that took.
"""
import json
import os
import subprocess
import sys
import time


def with_weights(command):
    """The command, without --init-from where its file does not come."""
    if "--init-from" not in command:
        return command
    at = command.index("--init-from")
    end = time.monotonic() + 90
    while not os.path.exists(command[at + 1]):
        if time.monotonic() > end:
            return command[:at] + command[at + 2 :]
        time.sleep(0.1)
    return command


def main(*command):
    command = with_weights(command)
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:

        def ask(request):
            program.stdin.write(request + "\n")
            program.stdin.flush()
            answer = program.stdout.readline()
            if not answer:
                sys.exit(program.wait() or 1)
            return answer

        loss = json.loads(ask("time 1"))["loss"]
        ask("time 3")
        print(json.dumps({"start_seconds": time.perf_counter() - start, "loss": loss}), flush=True)
        for line in sys.stdin:
            print(ask(line.strip()), end="", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
