# REQUIRES: runtime
"""On a terminal the demonstration draws its plot over the one before: also on a small one, each drawing has fewer lines
than the terminal, and none of them wraps. On one that is too low for a plot it prints a line per evaluation.

RUN: %python3 %s %t %S/Inputs
"""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios

folder, inputs = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)


def shown(rows, columns):
    terminal, line = pty.openpty()
    fcntl.ioctl(line, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    demo = subprocess.Popen(["stretto-demo", "--stretto", f"{inputs}/training-stand-in.py", "--spec", f"{inputs}/llama.stretto", "--seeds", "1",
                             "--steps", "40", "--only", "one-hop", "-o", f"{folder}/{rows}x{columns}"],
                            stdout=line, stderr=line, stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"})
    os.close(line)
    text = b""
    try:
        while part := os.read(terminal, 1 << 16):
            text += part
    except OSError:  # the other end is closed
        pass
    os.close(terminal)
    assert demo.wait() == 0, text
    return text.decode().replace("\r\n", "\n")


for rows, columns in (10, 20), (9, 80), (50, 200):
    drawings = re.findall(r"\x1b\[\?7l(.*?)\x1b\[\?7h", shown(rows, columns), re.S)
    assert drawings, (rows, columns)
    assert all(8 < drawing.count("\n") + 1 <= min(rows, 16) for drawing in drawings), (rows, columns, drawings)

low = shown(6, 80)
assert "\x1b[?7l" not in low and "step    40 of 40" in low, low
