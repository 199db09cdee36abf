"""What is wrong with a run is told before a program is compiled for it. The compiler is a stand-in that says when it is
asked.

REQUIRES: compiler, runtime
RUN: %python3 %s %build %t
"""
import fcntl
import os
import shutil
import subprocess
import sys

from programs import ROOT, TASK, empty, expect

build, folder = sys.argv[1], empty(sys.argv[2])
os.makedirs(f"{folder}/bin")
os.symlink(f"{build}/lib", f"{folder}/lib")
for name in ("stretto", "stretto-check"):
    shutil.copy(f"{build}/bin/{name}", f"{folder}/bin")
shutil.copy(os.path.join(ROOT, "test/tools/Inputs/stand-in-compile"), f"{folder}/bin/stretto-compile")
environment = {**os.environ, "STRETTO_CACHE": f"{folder}/cache"}
SPEC = os.path.join(ROOT, "models", "hello.stretto")


def stretto(*words):
    result = subprocess.run([f"{folder}/bin/stretto", *map(str, words)], capture_output=True, text=True, env=environment,
                            cwd=folder)
    return result.returncode, result.stdout + result.stderr


def refused(message, *words):
    status, text = stretto(*words)
    expect(text.startswith("error: ") and message in text and text.count("\n") == 1, f"{words}: not '{message}' but:\n{text}")
    expect(status == 1, f"{words}: exit status {status}")


def train(message, *words):
    refused(message, "train", SPEC, *TASK, *words)


def write(name, text):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        file.write(text)
    return f"{folder}/{name}"


# Nothing is wrong: the compiler is asked, and its program started.
status, text = stretto("train", SPEC, *TASK, "--steps", 3)
expect(status == 0 and "compiler:" in text and "program: --task" in text, f"a good run: {text}")
environment["STRETTO_CACHE"] = f"{folder}/other"

# A file of settings names the task for the compiler, too; another task or preset of the line leaves out what belongs to its own.
own = write("own.toml", '[settings]\ntask = "depo1"\npreset = "one-hop"\n[task]\nn = 9\n')
for line, words in (([], "--task depo1 --preset one-hop --task-set n=9"), (["--preset", "two-hops"], "--task depo1 --preset one-hop --preset two-hops"),
                    (["--task", "copy"], "--task depo1 --task copy")):
    status, text = stretto("train", SPEC, "--config", own, "--steps", 3, *line)
    expect(status == 0 and f" {words} -o" in text, f"--config {line}: {text}")
status, text = stretto("train", SPEC, *TASK, "--config", write("task.toml", "[task]\nn = 9\n"))
expect(status == 0 and " --task-set n=9 --task depo1 --preset one-hop -o" in text, f"parameters alone: {text}")

# The command line.
train("--lr must be a number in 0..1000000, but got 'abc'", "--lr", "abc")
train("--schedule must be constant, linear, cosine or 1-sqrt, but got 'sine'", "--schedule", "sine")
train("--resume needs the run directory: give --out FOLDER", "--resume")
train("cannot open 'none.toml': No such file or directory", "--config", "none.toml")
train("task 'depo1': has no parameter 'nn'; did you mean 'n'?", "--task-set", "nn=3")
train("task 'depo1': has no parameter 'nn'; did you mean 'n'?", "--config", write("wrong.toml", "[task]\nnn = 9\n"))
train("the length must be the 64 that the model was compiled for, but got 32", "--length", "64", "--task-set", "length=32")
refused("a run needs data: give --task NAME", "train", SPEC)

# The run directory, and other files to write.
os.makedirs(f"{folder}/taken/ckpt/00000010")
train("run directory 'taken' must be new, but has checkpoints; give --resume to go on from them", "--out", "taken")
os.makedirs(f"{folder}/busy")
with open(f"{folder}/busy/lock", "w", encoding="utf-8") as lock:
    lock.write("process 7 on host h\n")
    lock.flush()
    fcntl.flock(lock, fcntl.LOCK_EX)
    train("run directory 'busy' must have one writer, but is in use by process 7 on host h", "--out", "busy")
write("file", "")
train("cannot create folder 'file/run': Not a directory", "--out", "file/run")
train("cannot write 'none/scores': No such file or directory", "--scores", "none/scores")

# Files to start from.
train("cannot open 'none': No such file or directory", "--init-from", "none")
train("is not a valid safetensors file", "--init-from", write("weights", "no weights at all"))
refused("cannot open 'none': No such file or directory", "train", SPEC, "--tokens", "none", "--vocab", "9")

# Prompts.
write("good.safetensors", "")
with open(f"{folder}/good.safetensors", "wb") as file:
    file.write((2).to_bytes(8, "little") + b"{}")


def generate(message, *words):
    refused(message, "generate", SPEC, "--init-from", "good.safetensors", *words)


generate("prompt 1: tokens must be in 0..52, but got 53", *TASK, "--prompt", "3 53")
generate("prompt 2: tokens must be in 0..8, but got 9", "--vocab", "9", "--length", "20", "--write", "1", "--prompt", "3;9")
generate("prompt 1: tokens must be in 0..9, but got 10", "--vocab", "9", "--vocab=10", "--length", "20", "--write", "1",
         "--prompt", "10")
generate("prompt 1: a prompt must fit into the 20 tokens that the model was compiled for", "--vocab", "9", "--length", "2e1",
         "--prompt", "1 1 1", "--write", "19")
generate("file:2: a prompt must be numbers of tokens, but got 'two'", *TASK, "--prompts", write("file", "1\ntwo\n"))
generate("cannot open 'none': No such file or directory", *TASK, "--prompts", "none")
generate("--end-token must be a token in 0..52, or -1, but got '53'", *TASK, "--prompt", "1", "--end-token", "53")

# The device.
train("the device must be one that the model was compiled for, 'cpu' or 'null-async', but got 'cuda'", "--device", "cuda")
train("the device must be one that the model was compiled for, 'cuda', but got 'cpu'", "--target=cuda", "--device=cpu")
if subprocess.run(["sh", "-c", "ldconfig -p | grep -q libcuda.so.1"], check=False).returncode != 0:
    train("needs an NVIDIA GPU, but this machine has no NVIDIA driver", "--target", "cuda")
status, text = stretto("train", SPEC, *TASK, "--target", "cuda", "--emulate")
expect(status == 0 and "compiler:" in text, f"emulated kernels need a GPU: {text}")

expect(not os.path.exists(f"{folder}/runs"), "a check began a run directory")
expect(sorted(os.listdir(f"{folder}/busy")) == ["lock"], "a check changed a run directory")
