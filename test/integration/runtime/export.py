"""stretto-export writes the newest good checkpoint of a run, or the one that is named, as one file, or says why not.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs %t
"""
import json
import os
import shutil
import struct
import subprocess
import sys

from harness import contains, expect, obeying_permissions, read, run

fake, folder = f"{sys.argv[1]}/fake_f32", sys.argv[2]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
run(fake, "--task", "rule", "--steps", 20, "--save-every", 10, "--threads", 1, "--eval-batches", 1, "--eval-every", 0,
    "--quiet", "--out", f"{folder}/run")
ckpt = f"{folder}/run/ckpt"


def export(*arguments, status=0):
    return run("stretto-export", *arguments, status=status)


def tensors(path):
    content = read(path)
    (length,) = struct.unpack("<Q", content[:8])
    return {name: (entry["shape"], content[8 + length:][slice(*entry["data_offsets"])])
            for name, entry in json.loads(content[8:8 + length]).items()}


def flip(path):
    content = bytearray(read(path))
    content[-3] ^= 16
    with open(path, "wb") as file:
        file.write(content)


# A whole run or any path into it; a file that is there is replaced.
for path, step in (("", 20), ("/ckpt", 20), ("/ckpt/latest", 20), ("/ckpt/00000010", 10), ("/ckpt/00000010/weights.safetensors", 10)):
    told = export(f"{folder}/run{path}", "-o", f"{folder}/one")
    expect(told == f"{folder}/one: weights of step {step}\n", told)
    expect(read(f"{folder}/one") == read(f"{ckpt}/{step:08}/weights.safetensors"), f"other bytes from run{path}")
os.chdir(folder)
told = export("run", "--moments")
name = told.split(":")[0]
expect(name.endswith("-20.safetensors"), told)
expect(tensors(name) == tensors(f"{ckpt}/00000020/weights.safetensors") | tensors(f"{ckpt}/00000020/moments.safetensors"),
       "weights and moments are not those of the checkpoint")

# What cannot be exported.
contains(export("one", status=1), "stretto export: error: 'one' must be a run directory or a checkpoint of one, but is a file of no")
contains(export("none", status=1), "but is not there")
contains(export("run", "-o", f"{ckpt}/00000020/weights.safetensors", status=1), "must not lie in the folder of the checkpoints")
contains(export("run", "-o", f"{ckpt}/new.safetensors", status=1), "must not lie in the folder of the checkpoints")
settings = read("run/run.toml")
contains(export("run", "-o", "run/run.toml", status=1), "must not be a file of a run, but got 'run/run.toml'")
contains(export("run", "-o", "run/build/stage.mlir", status=1), "must not be a file of a run, but got 'run/build/stage.mlir'")
shutil.copytree("run", "other")
contains(export("run", "-o", "other/ckpt/latest", status=1), "must not be a file of a run, but got 'other/ckpt/latest'")
shutil.rmtree("other")
expect(read("run/run.toml") == settings, "a file of the run was replaced")
export("run", "-o", "run/model.safetensors")
export("run", "-o", "run/model.safetensors")
os.remove("run/model.safetensors")
contains(export("run", "-o", f"{folder}/none/one", status=1), f"error: cannot write '{folder}/none/one': No such file or directory")
# A folder of the user, and what is no file, stay where they are.
os.makedirs("results/inner")
os.mkfifo("pipe")
before = sorted(os.listdir("."))
contains(export("run", "-o", "results", status=1), "error: cannot write 'results': Is a directory")
contains(export("run", "-o", "pipe", status=1), "error: cannot write 'pipe': it must be a regular file")
for option in ("--dump-batch", "--dump-gradients"):
    contains(run(fake, "--task", "rule", "--steps", 1, "--out", "none", "--quiet", option, "pipe", status=1),
             "error: cannot write 'pipe': it must be a regular file")
os.symlink("results/inner", "link")
contains(export("run", "-o", "link", status=1), "error: cannot write 'link': Is a directory")
os.remove("link")
expect(sorted(os.listdir(".")) == before and os.listdir("results") == ["inner"], f"{os.listdir('.')}")
# A link is followed, whether something lies there or not.
os.symlink("results/kept", "link")
for _ in range(2):
    export("run", "-o", "link")
    expect(os.path.islink("link") and read("results/kept") == read(f"{ckpt}/00000020/weights.safetensors"), "a link was replaced")
os.chmod("results", 0o555)
told = subprocess.run(obeying_permissions(["stretto-export", "run", "-o", "results/one"]), capture_output=True, text=True)
expect((told.returncode, told.stderr) == (1, "stretto export: error: cannot write 'results/one': Permission denied\n"), f"{told}")
os.chmod("results", 0o755)
contains(export(status=2), "a run is missing: name a run directory")
contains(export("run", "--momens", status=2), "no option is called '--momens'; did you mean '--moments'?")
# Damaged moments matter where they are asked for; then the checkpoint before is taken, and this is told.
flip(f"{ckpt}/00000020/moments.safetensors")
expect(export("run", "-o", "one") == "one: weights of step 20\n", "weights are refused with moments")
told = export("run", "--moments", "-o", "one")
contains(told, "stretto export: warning: checkpoint 'run/ckpt/00000020' is refused: 'moments.safetensors' is damaged")
contains(told, "one: weights and moments of step 10\n")
contains(export("run/ckpt/00000020", "--moments", status=1), "is refused: 'moments.safetensors' is damaged")
