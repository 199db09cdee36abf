"""What is read from a run directory is what a run wrote there, or it is told: settings, weights, logs, leftovers.

REQUIRES: runtime
RUN: %python3 %s %build/test/programs %t
"""
import json
import os
import shutil
import sys
import tomllib

from harness import contains, digest, expect, read, run

programs, folder = sys.argv[1], sys.argv[2]
fake, other = f"{programs}/fake_f32", f"{programs}/fake_other"
options = ["--task", "rule", "--steps", "40", "--save-every", "10", "--threads", "1", "--eval-batches", "1", "--eval-every", "0"]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
run(fake, *options, "--lr", "0.01", "--quiet", "--out", f"{folder}/good")


def copied(name):
    return shutil.copytree(f"{folder}/good", f"{folder}/{name}")


def flip(path):
    content = bytearray(read(path))
    content[-3] ^= 16
    with open(path, "wb") as file:
        file.write(content)


def evaluate(program, weights, *more, status=0):
    return run(program, "--task", "rule", "--steps", 0, "--out", "none", "--threads", 1, "--progress", "plain",
               "--init-from", weights, *more, status=status)


def scores(file):
    return [json.loads(line) for line in read(file).splitlines()]


# run.toml cut behind any of its lines, or gone: no use of the run directory loses settings without a word.
lines = read(f"{folder}/good/run.toml").decode().splitlines(keepends=True)
cut = copied("cut")
for count in range(len(lines)):
    with open(f"{cut}/run.toml", "w", encoding="utf-8") as file:
        file.write("".join(lines[:count]))
    for command in ([fake, "--resume", "--out", cut], [f"{cut}/rerun.sh", f"{folder}/again"],
                    [fake, "--of-run", cut, "--out", f"{folder}/again"]):
        told = run(*command, status=1)
        expect("run.toml' must be as the run wrote it, but was cut or changed" in told, f"{count} lines: {command}: {told}")
    if count > 0:
        contains(run(fake, "--config", f"{cut}/run.toml", "--out", "none", status=1), "without its first line it counts as")
os.remove(f"{cut}/run.toml")
contains(run(fake, *options, "--resume", "--out", cut, status=1), "cannot open")
expect(not os.path.exists(f"{folder}/again"), "a refused run left something")
run(f"{folder}/good/rerun.sh", f"{folder}/again")
expect(digest(f"{folder}/again", 40) == digest(f"{folder}/good", 40), "a repeated run differs")
expect(read(f"{folder}/again/run.toml") == read(f"{folder}/good/run.toml"), "a repeated run has other origins")
run(f"{folder}/again/rerun.sh", f"{folder}/shorter", "--steps", 9)  # than the warm-up of the recipe
contains(read(f"{folder}/shorter/run.toml").decode(), "\nwarmup = 0  # recipe rule, cut to a tenth of the steps\n")
told = run(fake, "--resume", "--steps", 20, "--quiet", "--out", f"{folder}/shorter")
contains(told, "goes on with other settings: steps = 20 instead of 9\n")  # with a warm-up that lies behind
os.symlink("good/rerun.sh", f"{folder}/link.sh")
run("sh", f"{folder}/link.sh", f"{folder}/linked")
expect(digest(f"{folder}/linked", 40) == digest(f"{folder}/good", 40), "a run repeated through a link differs")
run(f"{folder}/good/rerun.sh", f"{folder}/other-seed", "--seed", 7, "--steps", 10)
settings = tomllib.loads(read(f"{folder}/other-seed/run.toml").decode())["settings"]
expect((settings["seed"], settings["steps"], settings["lr"]) == (7, 10, 0.01), f"options of a repetition: {settings}")
contains(run(f"{folder}/good/rerun.sh", f"{folder}/never", "--no-such", status=1), "--no-such")
for first in ([], [""], ["--seed=7"], ["-h"]):
    contains(run(f"{folder}/good/rerun.sh", *first, status=2), f"a folder for the new run must come first, but got '{''.join(first)}'")

# The program of a run directory is that of its spec.
contains(run(other, "--of-run", f"{folder}/good", "--out", "none", status=1),
         f"spec and settings must be those that run '{folder}/good' was started with, 000102030405060708090a0b0c0d0e0f as")
broken = copied("no-sha")
with open(f"{broken}/model.sha", "w", encoding="utf-8") as file:
    file.write("0001")
contains(run(fake, "--of-run", broken, "--out", "none", status=1), "0001 as")

# The scores of an evaluation stand beside the steps until the next one, whose own follow.
told = run(fake, "--task", "rule", "--steps", 5, "--warmup", 0, "--eval-every", 2, "--eval-batches", 1, "--log-every", 1,
           "--progress", "plain", "--threads", 1, "--out", "none")
beside = [" accuracy " in line for line in told.splitlines() if line.startswith("step ")]
expect(beside == [False, False, True, False, False], f"scores beside steps: {told}")

# A run whose program was compiled from a stage keeps it, and whatever asks for another program names it.
staged, kept = f"{folder}/staged", f"{folder}/staged/build/stage.mlir"
expect(not os.path.exists(f"{folder}/good/build/stage.mlir"), "a run of a spec has a stage")
run(f"{programs}/fake_stage", *options, "--quiet", "--out", staged)
expect(read(kept) == b"module{}", f"the stage of a run: {read(kept)}")
expect(read(f"{staged}/build/options.txt").startswith(b"build/stage.mlir\n--model\n"), "options of a run say nothing of its stage")
contains(run(fake, "--of-run", staged, "--out", "none", status=1),
         f"the program must be compiled from '{kept}', as that of run '{staged}' was, which its spec does not tell: "
         f"stretto eval {kept} --init-from {staged}")
contains(run(fake, "--of-run", staged, "--prompt", "1", status=1), f"stretto generate {kept} --init-from {staged}")
contains(run(fake, "--resume", "--out", staged, status=1), f"but the run was compiled from the stage '{kept}'")
shutil.copytree(staged, f"{folder}/edited", symlinks=True)
with open(f"{folder}/edited/model.sha", "w", encoding="utf-8") as file:
    file.write("0001")
contains(run(f"{programs}/fake_stage", "--of-run", f"{folder}/edited", "--out", "none", status=1),
         f"the stage that the program is compiled from must be as run '{folder}/edited' was started with, 0001 as")
run(f"{staged}/rerun.sh", f"{folder}/staged-again")
expect(digest(f"{folder}/staged-again", 40) == digest(staged, 40), "a repeated run of a stage differs")
expect(read(f"{folder}/staged-again/build/stage.mlir") == b"module{}", "a repeated run keeps the stage, too")
os.truncate(f"{staged}/build/program", 100)
contains(run(f"{staged}/rerun.sh", f"{folder}/never", status=1), f"train '{kept}' with stretto instead")
shutil.rmtree(f"{staged}/ckpt")
run(fake, *options, "--quiet", "--out", staged)
expect(not os.path.exists(kept), "a new run of a spec has the stage of the run before it")

# Weights of the newest checkpoint that is good; where it is not the newest of all, the terminal and the results say so.
plain = evaluate(fake, f"{folder}/good", "--scores", f"{folder}/plain.jsonl")
expect("warning" not in plain and "not those of step" not in plain, plain)
expect(scores(f"{folder}/plain.jsonl")[0]["weights"] == {"step": 40, "passed_over": []}, "the origin of the weights is not told")
expect(scores(f"{folder}/plain.jsonl")[0]["step"] == 40, "scores are not of the step of the weights")
damaged = copied("damaged")
flip(f"{damaged}/ckpt/00000040/weights.safetensors")
for out in (["--quiet"], []):
    told = evaluate(fake, damaged, "--scores", f"{folder}/scores.jsonl", *out)
    contains(told, f"warning: checkpoint '{damaged}/ckpt/00000040' is refused: 'weights.safetensors' is damaged")
    contains(told, "warning: these are the weights of step 30, not those of step 40")
contains(told, "these are the scores of step 30, not those of step 40")
expect([line["weights"] for line in scores(f"{folder}/scores.jsonl")] == 2 * [{"step": 30, "passed_over": [40]}], "scores")
contains(evaluate(fake, damaged, "--strict", status=1), "with --strict no other is used")
contains(evaluate(fake, f"{damaged}/ckpt/latest", status=1), "is refused: 'weights.safetensors' is damaged")
expect("warning" not in evaluate(fake, f"{folder}/good", "--strict"), "--strict refuses what is good")
contains(run(fake, "--resume", "--strict", "--out", damaged, status=1), "with --strict no other is used")

# A run that goes on from such weights says so with all its scores, also after a resume.
child = ["--task", "rule", "--threads", "1", "--eval-batches", "1", "--eval-every", "2", "--quiet", "--out", f"{folder}/child"]
run(fake, *child, "--steps", 4, "--warmup", 0, "--init-from", damaged)
run(fake, *child, "--steps", 6, "--resume")
told = [line["weights"] for line in scores(f"{folder}/child/metrics.jsonl") if "scores" in line]
expect(told == 3 * [{"step": 30, "passed_over": [40]}], f"scores of a run from passed over weights: {told}")

# Weights for another spec are told; those of the run directory that spec and settings come from must be of its spec.
told = evaluate(other, f"{folder}/good")
contains(told, "were trained with another spec or other settings, 000102030405060708090a0b0c0d0e0f; those of this program are ffff")
mixed = copied("mixed")
shutil.rmtree(f"{mixed}/ckpt")
run(other, *options, "--quiet", "--out", f"{folder}/others")
shutil.copytree(f"{folder}/others/ckpt", f"{mixed}/ckpt")
contains(evaluate(fake, mixed, "--of-run", mixed, status=1), "must be of the spec and settings of the program, 0001")
contains(run(fake, "--resume", "--out", mixed, status=1), "a run must be resumed with the spec of its checkpoint, ffff")

# Metrics that lack steps are told when a run goes on behind them.
short = copied("short")
content = read(f"{short}/metrics.jsonl").splitlines(keepends=True)
with open(f"{short}/metrics.jsonl", "wb") as file:
    file.writelines(content[:15])
told = run(fake, "--resume", "--steps", 42, "--quiet", "--out", short)
contains(told, f"warning: '{short}/metrics.jsonl' lacks lines of steps before 40, the step of the checkpoint")
contains(told, "warning: goes on with other settings: steps = 42 instead of 40\n")
contains(read(f"{short}/log/rank-00.txt").decode(), "goes on with other settings: steps = 42 instead of 40\n")
expect("lacks" not in run(fake, "--resume", "--steps", 42, "--quiet", "--out", copied("whole")), "metrics are whole")

# Without a step left, the checkpoint is not written anew.
done = copied("done")
before = os.stat(f"{done}/ckpt/00000040").st_ino
run(fake, "--resume", "--quiet", "--out", done)
expect(os.stat(f"{done}/ckpt/00000040").st_ino == before, "a resume without a step left wrote the checkpoint again")

# Settings that a resume changes: run.toml keeps both, and who repeats the run is told that it was another.
changed = copied("changed")
for count, more in ((42, ["--lr", "0.5"]), (43, ["--eval-batches", "2"]), (43, ["--lr", "0.25"])):
    told = run(fake, "--resume", "--steps", count, "--quiet", "--out", changed, *more)
contains(told, "warning: no step is left for other settings, and run.toml stays as it is: lr = 0.25 instead of 0.5\n")
settings = tomllib.loads(read(f"{changed}/run.toml").decode())
expect(settings["settings"]["lr"] == 0.5, f"settings: {settings}")
expect(settings["changed"] == [{"at_step": step, "setting": name, "from": old, "to": new} for step, name, old, new in (
    (40, "steps", "40", "42"), (40, "lr", "0.01", "0.5"), (42, "steps", "42", "43"), (42, "eval-batches", "1", "2"))], f"{settings}")
other_run = f"warning: the settings of '{changed}' were changed at its resumes ([[changed]] in its run.toml)"
contains(run(f"{changed}/rerun.sh", f"{folder}/changed-again"), other_run)
expect("changed" not in tomllib.loads(read(f"{folder}/changed-again/run.toml").decode()), "a new run has no changes")
expect(other_run not in evaluate(fake, changed, "--of-run", changed), "an evaluation repeats nothing")

# With a rate that is the same for all steps, more of them are a longer run.
longer = copied("longer")
shutil.rmtree(longer)
run(fake, *options, "--schedule", "constant", "--quiet", "--out", longer)
expect("warning" not in run(fake, "--resume", "--steps", 50, "--quiet", "--out", longer), "a longer run")
expect("warning" not in run(f"{longer}/rerun.sh", f"{folder}/longer-again"), "the repetition of a longer run")
ends = [read(f"{name}/ckpt/00000050/weights.safetensors") for name in (longer, f"{folder}/longer-again")]
expect(ends[0] == ends[1], "a longer run differs from its repetition")

# A pipe in place of a log, which nobody reads, is not waited for.
piped = copied("piped")
os.remove(f"{piped}/log/rank-00.txt")
os.mkfifo(f"{piped}/log/rank-00.txt")
contains(run(fake, "--resume", "--out", piped, status=1), f"error: cannot open '{piped}/log/rank-00.txt': not a regular file")

# What an interrupted writer left goes when the next one starts.
messy = copied("messy")
left = ["metrics.jsonl.tmp-71", "run.toml.tmp-8", "build/program.tmp-9", "ckpt/latest.tmp-10", "log/profile-01.txt.tmp-3",
        "events.out.tfevents.1.host.tmp-5"]
for name in left:
    with open(f"{messy}/{name}", "w", encoding="utf-8") as file:
        file.write("x")
os.makedirs(f"{messy}/ckpt/.tmp-00000041-7")
run(fake, "--resume", "--quiet", "--out", messy)
after = sorted(os.path.join(at, name) for at, folders, names in os.walk(messy) for name in folders + names)
expect(not [path for path in after if "tmp-" in path], f"left: {after}")
expect(len(after) == sum(len(folders + names) for _, folders, names in os.walk(f"{folder}/good")), f"files: {after}")

# Files of the user that are called alike stay, also in a folder that becomes a run directory.
os.makedirs(f"{folder}/own")
with open(f"{folder}/own/dataset.tmp-20240101", "w", encoding="utf-8") as file:
    file.write("x")
run(fake, *options, "--quiet", "--out", f"{folder}/own")
expect(read(f"{folder}/own/dataset.tmp-20240101") == b"x", "a file of the user is gone")
