"""Stands between run.py and a program of ours: takes first steps, says that it is ready, and passes requests on.

    ready.py PROGRAM OPTIONS...

The first steps load code, try out attention and capture the graph; `compile_seconds` is how long that took.
"""
import json
import subprocess
import sys
import time


def main(*command):
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
