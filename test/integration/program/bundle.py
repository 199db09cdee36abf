"""A program that was made with --bundle runs where nothing of Stretto or LibTorch is: its folder is moved, and what the
libraries were copied from is hidden.

REQUIRES: compiler, runtime
RUN: %python3 %s %build %t
"""
import os
import re
import shutil
import subprocess
import sys

from programs import HELLO, SMALL, TASK, contains, digest, empty, expect, read, run

build, folder = sys.argv[1], empty(sys.argv[2])
SYSTEM = re.compile(r"(ld-linux|linux-vdso|lib(c|m|mvec|pthread|dl|rt|util|resolv|anl)\.so)")


def loaded(program):
    """What the loader takes, by name: the path."""
    text = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return {name: path for name, path in re.findall(r"^\s*(\S+) => (.+?)(?: \(0x\w+\))?$", text, re.M)
            if not SYSTEM.match(name)}


def hidden(folders, command):
    """The command where these folders are empty, if this user may do that; else as it is."""
    mounts = " && ".join(f"mount -t tmpfs none '{name}'" for name in folders)
    allowed = subprocess.run(["unshare", "-m", "sh", "-c", mounts], capture_output=True).returncode == 0
    return ["unshare", "-m", "sh", "-c", f'{mounts} && exec "$@"', "-", *command] if allowed else command


def train(program, out):
    places = {os.path.realpath(os.path.dirname(path)) for path in loaded(f"{build}/lib/libstretto_runtime.so").values()}
    ours = [place for place in sorted(places) if not place.startswith(("/usr/", "/lib"))] + [f"{build}/lib"]
    command = [program, *TASK, "--steps", "2", "--threads", "1", "--progress", "plain", "--out", out]
    result = subprocess.run(hidden(ours, command), capture_output=True, text=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    contains(result.stdout + result.stderr, "done: 2 steps")
    expect(result.returncode == 0, f"exit status {result.returncode}")


os.makedirs(f"{folder}/first")
spec = [HELLO, *TASK, *SMALL]
told = run("stretto", "compile", *spec, "--bundle", "-o", f"{folder}/first/program")
contains(told, f"libraries in '{folder}/first/lib' beside it")
run("stretto", "compile", *spec, "--bundle", "-o", f"{folder}/first/program")  # over the first
os.rename(f"{folder}/first", f"{folder}/moved")
moved = f"{folder}/moved/program"
for name, path in loaded(moved).items():
    expect(os.path.realpath(path).startswith(f"{os.path.realpath(folder)}/moved/lib/"), f"{name} is taken from {path}")
train(moved, f"{folder}/run")

# The copy of the program in the run directory finds them, too; a damaged one is told, and replaced when the run goes on.
os.truncate(f"{folder}/run/build/program", 3000)
contains(run(f"{folder}/run/rerun.sh", f"{folder}/again", status=1), "build/program' does not start: it is damaged, or")
run(moved, *TASK, "--steps", "2", "--threads", "1", "--resume", "--out", f"{folder}/run")
expect(read(f"{folder}/run/build/program") == read(moved), "the copy of the program in the run directory is not the program")
again = subprocess.run([f"{folder}/run/rerun.sh", f"{folder}/again"], capture_output=True, text=True)
expect(again.returncode == 0, again.stderr)
expect(digest(f"{folder}/run", 2) == digest(f"{folder}/again", 2), "bits differ when a run is repeated")

# A program without them is linked with those of Stretto, and says so.
run("stretto", "compile", *spec, "-o", f"{folder}/plain")
expect(os.path.dirname(loaded(f"{folder}/plain")["libstretto_runtime.so"]) == f"{build}/lib", "not where Stretto's lie")
contains(run("stretto", "compile", HELLO, "--bundle", "--emit=object", "-o", f"{folder}/o", status=2),
         "--bundle needs a program, but got --emit=object")
shutil.rmtree(f"{folder}/moved")  # it is large
