"""Any stage can be printed, edited and continued to a program: the same edit, at whatever stage, makes the same program.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import json
import os
import re
import sys

from programs import HELLO, SMALL, TASK, contains, empty, expect, read, run

folder = empty(sys.argv[1])
shape = [*TASK, "--batch", 2, "--length", 64]


def stretto(*arguments, status=0):
    return run("stretto", *arguments, status=status)


def losses(name):
    run(f"{folder}/{name}", *TASK, "--threads", 1, "--eval-batches", 0, "--quiet", "--steps", 2, "--out", f"{folder}/{name}.run")
    return [json.loads(line)["loss"] for line in read(f"{folder}/{name}.run/metrics.jsonl").decode().splitlines()]


stretto("compile", HELLO, *TASK, *SMALL, "-o", f"{folder}/whole")
whole, edited = losses("whole"), []
for stage in ("seq", "train", "fused", "kernels"):
    file = f"{folder}/{stage}.mlir"
    stretto("compile", HELLO, *TASK, *SMALL, f"--emit={stage}", "-o", file)
    stretto("compile", file, *shape, "-o", f"{folder}/{stage}")
    continued = losses(stage)
    expect(continued == whole, f"continued from {stage}, the program differs: {continued}, not {whole}")
    with open(file, encoding="utf-8") as text:
        changed, count = re.subn(r"scale 0\.35\d*|scale 3\.5\d*e-01", "scale 0.25", text.read())
    expect(count >= 1, f"no attention at stage {stage}")
    with open(file, "w", encoding="utf-8") as text:
        text.write(changed)
    stretto("compile", file, *shape, "-o", f"{folder}/{stage}-edited")
    edited.append(losses(f"{stage}-edited"))
expect(edited[0] != whole and all(other == edited[0] for other in edited), f"edits differ: {edited}; unedited {whole}")

# What was trained from an edited stage is no model of the spec that stands in the run directory: the stage is evaluated.
kept = f"{folder}/seq-edited.run/build/stage.mlir"
expect(read(kept) == read(f"{folder}/seq.mlir"), "a run keeps the stage that it was compiled from")
judged = stretto("eval", f"{folder}/seq-edited.run", "--threads", 1, "--eval-batches", 1)
expect("warning" not in judged, f"the stage of a run is not its program: {judged}")
loss = next(line for line in judged.splitlines() if line.startswith("evaluation: "))
contains(stretto("eval", kept, *shape, "--threads", 1, "--eval-batches", 1, "--init-from", f"{folder}/seq-edited.run"), loss)
contains(stretto("eval", HELLO, *TASK, *SMALL, "--threads", 1, "--init-from", f"{folder}/seq-edited.run"), "were trained with another spec")
expect("warning" not in stretto("eval", f"{folder}/seq.mlir", *shape, "--threads", 1, "--init-from", f"{folder}/seq-edited.run"),
       "an edited stage does not know its own weights")

# A program that does not start is made again from that stage.
os.truncate(f"{folder}/seq-edited.run/build/program", 100)
resumed = stretto("train", "--resume", "--out", f"{folder}/seq-edited.run", "--steps", 3, "--progress", "plain")
contains(resumed, "so the spec or stage of the run is compiled anew")
contains(resumed, "done: 3 steps")
expect(read(kept) == read(f"{folder}/seq.mlir"), "a resume keeps the stage")

# What is printed of a stage does not hold the text of the one before; bytecode is kept as text.
stretto("compile", f"{folder}/seq.mlir", *shape, f"--dump-ir={folder}/continued", "--emit=llvm", "-o", f"{folder}/code")
for name in os.listdir(f"{folder}/continued"):
    expect(b"continued_from" not in read(f"{folder}/continued/{name}"), f"{name} holds the stage that it was made from")
run("stretto-opt", f"{folder}/seq.mlir", "--emit-bytecode", "-o", f"{folder}/binary.mlir")
stretto("compile", f"{folder}/binary.mlir", *shape, "-o", f"{folder}/binary")
expect(losses("binary") == edited[0], "continued from bytecode, the program differs")
expect("warning" not in stretto("eval", f"{folder}/binary.run/build/stage.mlir", *shape, "--threads", 1, "--init-from", f"{folder}/binary.run"),
       "the text that is kept of bytecode is another stage")

# The last stage in our dialects' successor, as --dump-ir leaves it, and train and summary on a stage.
stretto("compile", HELLO, *TASK, *SMALL, f"--dump-ir={folder}/dump", "--emit=llvm", "-o", f"{folder}/code")
dump = sorted(name for name in os.listdir(f"{folder}/dump") if name.endswith(".mlir"))
stretto("compile", f"{folder}/dump/{dump[-1]}", *shape, "-o", f"{folder}/last")
expect(losses("last") == whole, "continued from the last stage, the program differs")
unfinished = next(name for name in dump if "differentiate" not in name and "backward" in read(f"{folder}/dump/{name}").decode()
            and "seq.backward" in read(f"{folder}/dump/{name}").decode())
contains(stretto("compile", f"{folder}/dump/{unfinished}", "-o", f"{folder}/x", status=1), "is in the middle of one: go on with stretto-opt")
contains(stretto("summary", f"{folder}/kernels.mlir"), "planned")
contains(stretto("train", f"{folder}/fused.mlir", *shape, "--steps", 1, "--threads", 1, "--out", "none", "--progress", "plain"),
         "done: 1 step,")

# What a stage has fixed cannot be asked for.
kernels = f"{folder}/kernels.mlir"
contains(stretto("compile", kernels, "--set", "dim=32", "-o", f"{folder}/x", status=1), "--set belongs to a spec")
contains(stretto("compile", kernels, "--batch", 4, "-o", f"{folder}/x", status=1), "was made for batch 2, but got 4")
contains(stretto("compile", kernels, "--emit=train", status=1), "must be at the stage 'train' or before it, but is at 'kernels'")
contains(stretto("compile", kernels, "--emit=pytorch", status=1), "--emit=pytorch needs a spec")
with open(f"{folder}/broken.mlir", "w", encoding="utf-8") as text:
    text.write("module { func.func @f() { seq.liner } }")
contains(stretto("compile", f"{folder}/broken.mlir", "-o", f"{folder}/x", status=1), "broken.mlir:1:27: error:")
with open(f"{folder}/other.mlir", "w", encoding="utf-8") as text:
    text.write("module {}")
contains(stretto("compile", f"{folder}/other.mlir", "-o", f"{folder}/x", status=1), "must hold a model: a function 'main'")
# A plan that was broken by hand is refused, not run.
places = re.sub(r"(#kern.slot<activations, )\d+", r"\g<1>0", read(kernels).decode())
with open(f"{folder}/plan.mlir", "w", encoding="utf-8") as text:
    text.write(places)
told = stretto("compile", f"{folder}/plan.mlir", "-o", f"{folder}/x", status=1)
expect(told.startswith(f"{folder}/plan.mlir:") and told.count("error: ") == 1 and "\nstretto: " not in told, told)
