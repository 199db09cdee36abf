"""Bad input and bad luck: each is told clearly, and earlier checkpoints stay good.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs %t
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

from harness import contains, digest, expect, lasting, obeying_permissions, read, run, until

programs, folder = sys.argv[1], sys.argv[2]
fake = f"{programs}/fake_f32"
options = ["--task", "rule", "--steps", "40", "--save-every", "10", "--threads", "1", "--eval-batches", "1", "--quiet"]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)

# A finished run, the measure of all others.
run(fake, *options, "--out", f"{folder}/good")
good = digest(f"{folder}/good", 40)

# The run directory has one writer, and is not overwritten.
contains(run(fake, *options, "--out", f"{folder}/good", status=1), "must be new, but has checkpoints; give --resume")
slow = subprocess.Popen([fake, "--task", "rule", "--steps", "100000", "--task-set", "delay_us=2000", "--quiet",
                         "--out", f"{folder}/slow"], stderr=subprocess.PIPE)
until(lambda: os.path.exists(f"{folder}/slow/metrics.jsonl"), "the run directory")
contains(run(fake, *options, "--out", f"{folder}/slow", status=1),
         f"must have one writer, but is in use by process {slow.pid}")

# Links of the user are followed, for scores, too, and a file of them that cannot be opened is told before the first step.
os.symlink("real.jsonl", f"{folder}/link.jsonl")
for _ in range(2):
    run(fake, *options, "--scores", f"{folder}/link.jsonl", "--eval-every", "20", "--out", "none")
expect(os.path.islink(f"{folder}/link.jsonl") and read(f"{folder}/real.jsonl").count(b'"eval_loss"') == 4, "scores behind a link")
with open(f"{folder}/own.toml", "w", encoding="utf-8") as file:
    file.write("[settings]\nsteps = 0\n")
os.symlink("own.toml", f"{folder}/link.toml")
run(fake, "--task", "rule", "--config", f"{folder}/link.toml", "--quiet", "--out", "none")
# A file of settings may ask for a resume as the command line does.
shutil.copytree(f"{folder}/good", f"{folder}/longer")
for where, status, told in (("none", 1, "again.toml:2: --resume needs the run directory: give --out FOLDER"),
                            (f"{folder}/longer", 0, "lr = 0.25 instead of ")):
    with open(f"{folder}/again.toml", "w", encoding="utf-8") as file:
        file.write(f'[settings]\nresume = true\nout = "{where}"\nsteps = 42\nlr = 0.25\n')
    contains(run(fake, "--config", f"{folder}/again.toml", status=status), told)
contains(read(f"{folder}/longer/run.toml").decode(), '[[changed]]\nat_step = 40\nsetting = "lr"')
told = run(fake, *options, "--scores", "/dev/stdout", "--steps", "0", "--out", "none")
expect(told.count('"eval_loss"') == 1, told)
os.symlink("loop.jsonl", f"{folder}/loop.jsonl")
contains(run(fake, *options, "--scores", f"{folder}/loop.jsonl", "--out", f"{folder}/loop", status=1), "Too many levels of symbolic links")
expect(not os.path.exists(f"{folder}/loop"), "a run began without its file of scores")

# Scores that can no longer be written end a run, but with all of it saved; what is read is not written.
told = run(fake, *options, "--eval-every", "20", "--scores", "/dev/full", "--out", f"{folder}/scored", status=1)
contains(told, "warning: cannot write '/dev/full': No space left on device; no more scores are written there")
expect(told.count("No space left") == 2, told)
expect("00000040" in os.listdir(f"{folder}/scored/ckpt"), "a run without its scores was not saved")
os.mkfifo(f"{folder}/pipe")
contains(run(fake, *options, "--scores", f"{folder}/pipe", "--out", "none", status=1), "cannot open")
weights = f"{folder}/good/ckpt/00000040/weights.safetensors"
for option in ("--scores", "--dump-gradients", "--dump-batch"):
    contains(run(fake, *options, "--init-from", f"{folder}/good", option, weights, "--out", "none", status=1),
             f"{option} must not name a file that is read, but got '{weights}'")
expect(digest(f"{folder}/good", 40) == good, "weights that were read were written")

# Nor is what a run writes: the one that goes on, the one that is repeated, or one that has nothing to do with it.
shutil.copytree(f"{folder}/good", f"{folder}/guarded")
of_run = [f"{folder}/guarded/{name}" for name in ("run.toml", "lock", "metrics.jsonl", "build/program", "ckpt/00000040/manifest.json", "ckpt/new")]
before = [os.path.exists(path) and read(path) for path in of_run]
for words in (["--resume", "--steps", "41", "--out", f"{folder}/guarded"], ["--of-run", f"{folder}/guarded", "--out", "none"],
              [*options, "--out", "none"]):
    for option in ("--scores", "--dump-gradients", "--dump-batch"):
        for path in of_run:
            contains(run(fake, *words, option, path, status=1), f"{option} must not name a file of a run, but got '{path}'")
expect([os.path.exists(path) and read(path) for path in of_run] == before, "files of a run were written")
run(fake, "--resume", "--steps", "41", "--quiet", "--out", f"{folder}/guarded", "--scores", f"{folder}/guarded/scores.jsonl")
expect(os.path.exists(f"{folder}/guarded/scores.jsonl"), "scores of the user beside the files of a run")
os.makedirs(f"{folder}/fresh")
contains(run(fake, *options, "--out", f"{folder}/fresh", "--dump-batch", f"{folder}/fresh/run.toml", status=1),
         f"--dump-batch must not name a file of a run, but got '{folder}/fresh/run.toml'")

# A folder that is removed, or moved, has no writer any more.
moved = subprocess.Popen([fake, "--task", "rule", "--steps", "1000", "--task-set", "delay_us=2000", "--quiet",
                          "--save-every", "100", "--out", f"{folder}/moved"], stderr=subprocess.PIPE, text=True)
until(lambda: os.path.exists(f"{folder}/moved/metrics.jsonl"), "the run directory")
os.rename(f"{folder}/moved", f"{folder}/elsewhere")
contains(moved.communicate()[1], f"error: run directory '{folder}/moved' must stay where it is while it is written")
expect(moved.returncode == 1 and not os.path.exists(f"{folder}/moved"), "a run went on in a folder that was moved")

# A first checkpoint that cannot be written has none before it.
first = subprocess.Popen([fake, "--task", "rule", "--steps", "100000", "--task-set", "delay_us=2000", "--quiet",
                          "--save-every", "0", "--out", f"{folder}/first"], stderr=subprocess.PIPE, text=True)
until(lambda: os.path.exists(f"{folder}/first/metrics.jsonl"), "the run directory")
shutil.rmtree(f"{folder}/first/ckpt", ignore_errors=True)
open(f"{folder}/first/ckpt", "w").close()
first.send_signal(signal.SIGTERM)
said = first.communicate()[1]
expect(re.search(r"error: the checkpoint of step \d+ could not be written: .*; there is no earlier one\n", said), said)

# A resume needs no weights to begin with, and takes no others.
run(fake, *options, "--init-from", f"{folder}/good/ckpt/00000030", "--steps", "2", "--out", f"{folder}/begun")
contains(run(fake, "--resume", "--init-from", f"{folder}/scored", "--out", f"{folder}/begun", status=1),
         f"must have the --init-from that it began with, {folder}/good/ckpt/00000030, but got '{folder}/scored'")
os.rename(f"{folder}/good/ckpt/00000030", f"{folder}/hidden")
run(fake, "--resume", "--steps", "3", "--quiet", "--out", f"{folder}/begun")
os.rename(f"{folder}/hidden", f"{folder}/good/ckpt/00000030")

# The first signal finishes the step and saves; a resume goes on.
slow.send_signal(signal.SIGTERM)
expect(slow.wait() == 128 + signal.SIGTERM, "exit status after SIGTERM")
expect(len(os.listdir(f"{folder}/slow/ckpt")) >= 2, "no checkpoint after SIGTERM")
process = subprocess.Popen([fake, *options[:-1], "--progress", "plain", "--log-every", "1", "--out", f"{folder}/stopped"],
                           stdout=subprocess.PIPE, text=True, env={**os.environ, **lasting(3, 500)})
while "step 3/" not in (line := process.stdout.readline()):
    expect(line, "the run ended before step 3")
process.send_signal(signal.SIGINT)
output = process.communicate()[0]
expect(process.returncode == 128 + signal.SIGINT, "exit status after SIGINT")
contains(output, f"go on with: {folder}/stopped/build/program --resume --out {folder}/stopped\n")
run(f"{folder}/stopped/build/program", "--resume", "--quiet", "--threads", "1", "--out", f"{folder}/stopped")
expect(read(f"{folder}/stopped/metrics.jsonl") == read(f"{folder}/good/metrics.jsonl"), "bits after a stop differ")

# A checkpoint says by what matmuls were computed, since bits depend on it.
expect(re.search(rb'"matmuls": "(tiles|MKL)"', read(f"{folder}/good/ckpt/00000040/manifest.json")), "no way of matmuls")

# A damaged or cut checkpoint is refused by name and the one before it is used.
for damage in ("cut", "flip"):
    shutil.copytree(f"{folder}/good", f"{folder}/{damage}")
    path = f"{folder}/{damage}/ckpt/00000040/moments.safetensors"
    with open(path, "r+b") as file:
        if damage == "cut":
            file.truncate(os.path.getsize(path) // 2)
        else:
            file.seek(-3, os.SEEK_END)
            byte = file.read(1)
            file.seek(-3, os.SEEK_END)
            file.write(bytes([byte[0] ^ 16]))
    told = run(fake, "--resume", "--quiet", "--threads", "1", "--out", f"{folder}/{damage}")
    contains(told, f"checkpoint '{folder}/{damage}/ckpt/00000040' is refused: 'moments.safetensors'")
    expect(digest(f"{folder}/{damage}", 40) == good, f"bits differ after a {damage} checkpoint")
for step in ("00000020", "00000030", "00000040"):
    os.truncate(f"{folder}/cut/ckpt/{step}/manifest.json", 10)
contains(run(fake, "--resume", "--out", f"{folder}/cut", status=1), "no checkpoint of the run directory can be used")

# Another spec, seed, way to add gradients or data under the same run directory.
run(fake, *options, "--virtual-ranks", "4", "--out", f"{folder}/virtual")
contains(run(f"{programs}/fake_other", "--resume", "--out", f"{folder}/good", status=1),
         "a run must be resumed with the spec of its checkpoint, 000102030405060708090a0b0c0d0e0f, but got ffff")
contains(run(fake, "--resume", "--seed", "5", "--out", f"{folder}/good", status=1), "the seed of its checkpoint, 0, but got 5")
for sums in (["--virtual-ranks", "1", "--accumulate", "4"], ["--virtual-ranks", "2"]):
    shutil.copytree(f"{folder}/virtual", f"{folder}/other-sums", dirs_exist_ok=True)
    told = run(fake, "--resume", "--quiet", *sums, "--out", f"{folder}/other-sums", status=1)
    contains(told, f"a run must be resumed with the number of virtual ranks of its checkpoint, 4, but got {sums[1]}")
contains(run(fake, "--resume", "--task-set", "step=7", "--out", f"{folder}/good", status=1), "the data of its checkpoint")
contains(run(fake, "--resume", status=1), "--resume needs the run directory")

# A disk that is full, here a limit on the size of files: the metrics reach it first, then the checkpoint.
limited = subprocess.run([fake, *options, "--out", f"{folder}/full"], capture_output=True, text=True,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
expect(limited.returncode == 1, "exit status at a full disk")
contains(limited.stderr, "error: cannot write")
contains(limited.stderr, "File too large")

# A folder that may not be written.
os.makedirs(f"{folder}/readonly")
os.chmod(f"{folder}/readonly", 0o555)
refused = subprocess.run(obeying_permissions([fake, *options, "--out", f"{folder}/readonly/run"]), capture_output=True, text=True)
expect(refused.returncode == 1, "exit status in a read-only folder")
contains(refused.stderr, f"error: cannot create folder '{folder}/readonly/run': Permission denied")

# Numbers that go wrong.
poison = {"STRETTO_FAKE_POISON": "15"}
told = run(fake, *options, "--out", f"{folder}/nan", status=1, environment=poison)
contains(told, "step 15: the loss must be a number, but got nan; weights are as after step 14")
expect(sorted(os.listdir(f"{folder}/nan/ckpt")) == ["00000010", "latest"], "a checkpoint holds a NaN")
contains(run(fake, *options, "--on-nonfinite=skip", "--out", f"{folder}/skip", environment=poison), "step 15 is skipped")
contains(read(f"{folder}/skip/metrics.jsonl").decode(), '{"step": 15, "loss": "nan", "grad_norm": "nan"')
# A norm of finite gradients that overflows: without the step the run is that of another device, which looks at it alike.
steep = {"STRETTO_FAKE_STEEP": "15"}
for name, more in {"steep": [], "steep-late": ["--device", "null-async"], "steep-ranks": ["--virtual-ranks", "2", "--ranks", "2"]}.items():
    told = run(fake, *options, *more, "--on-nonfinite=skip", "--out", f"{folder}/{name}", environment=steep)
    contains(told, "or the norm of its gradients (inf) is not finite")
    contains(read(f"{folder}/{name}/metrics.jsonl").decode(), '"grad_norm": "inf"')
expect(digest(f"{folder}/steep", 40) == digest(f"{folder}/steep-late", 40) != good, "what a skipped step leaves differs")
told = run(fake, *options, "--out", f"{folder}/steep-stop", status=1, environment=steep)
contains(told, "step 15: the gradient norm must be a number, but got inf")
# Where a step is repeated whole, its loss is seen afterwards; no checkpoint holds it either.
told = run(fake, *options, "--device", "null-async", "--out", f"{folder}/nan-late", status=1, environment=poison)
contains(told, "step 15: the loss must be a number, but got nan; no checkpoint holds this step")
expect(sorted(os.listdir(f"{folder}/nan-late/ckpt")) == ["00000010", "latest"], "a checkpoint holds a NaN")
# Where the step of a checkpoint goes wrong, another may have begun.
run(fake, *options, "--device", "null-async", "--out", f"{folder}/nan-saved", status=1, environment={"STRETTO_FAKE_POISON": "20"})
expect(sorted(os.listdir(f"{folder}/nan-saved/ckpt")) == ["00000010", "latest"], "a checkpoint holds a NaN")
for way, device in {"broken": "cpu", "broken-late": "null-async"}.items():
    told = run(fake, *options, "--task-set", "broken_at=57", "--device", device, "--out", f"{folder}/{way}", status=1)
    contains(told, "a sample is broken")
run(fake, *options, "--steps", "14", "--eval-batches", "0", "--device", "null-async", "--out", f"{folder}/unevaluated")
lines = {way: [line["step"] for line in map(json.loads, read(f"{folder}/{way}/metrics.jsonl").splitlines()) if "grad_norm" in line]
         for way in ("nan", "nan-late", "broken", "broken-late", "unevaluated")}
expect(all(told == list(range(1, 16 if way.startswith("nan") else 15)) for way, told in lines.items()),
       f"steps before a fault, or the last one, are not told: {lines}")
contains(run(fake, *options, "--check-finite", "--out", "none", status=1, environment=poison),
         "step 15: the first NaN or infinity was written by cross_entropy at fake.stretto:4:1, in kernel 'loss.sum': "
         "element [0] of [1] is nan")

# What does not fit or does not exist.
contains(run(f"{programs}/fake_huge", *options, "--out", "none", status=1), "of memory, but needs 1024.00 TiB at batch 4")
# The ranks of a host share its memory, and the sequences of a step are in it.
def planned(*more):
    told = run(fake, "--task", "rule", "--steps", "1", "--progress", "plain", "--out", "none", "--threads", "1", *more)
    size, unit = re.search(r"planned memory: ([\d.]+) (.)iB", told).groups()
    return float(size) * {"K": 1 << 10, "M": 1 << 20}[unit]


room = int(planned("--virtual-ranks", "2", "--ranks", "2"))
both = ["--virtual-ranks", "2", "--ranks", "2", "--memory-limit"]
contains(run(fake, *options, *both, 3 * room // 2, "--out", "none", status=1), "for 2 ranks, but needs")
run(fake, *options, *both, 5 * room // 2, "--out", "none")
steps = 50000 * 4 * 16 * 21 * 2
expect(abs(planned("--accumulate", "50001") - planned("--accumulate", "2") - steps * 49999 / 50000) < steps / 100, "batches")
contains(run(fake, "--task", "rules", "--out", "none", status=1), "unknown task 'rules', did you mean 'rule'?")
contains(run(fake, *options, "--task-set", "vocabulary=25", "--out", "none", status=1),
         "needs vocabulary 25 and length 16, but the model was compiled for vocabulary 24 and length 16")
contains(run(fake, *options, "--init-from", f"{folder}/none", "--out", "none", status=1), f"cannot open '{folder}/none'")
