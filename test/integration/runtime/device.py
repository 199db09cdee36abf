"""Programs for CUDA on a GPU that is made of this machine's memory: everything around kernels and matmuls is the real
thing. Losses are those of the CPU; graphs, resumes and profiles change no bit; faults end a run and harm no checkpoint.

REQUIRES: runtime, torch-cuda
RUN: %python3 %s %build %t
"""
import json
import os
import shutil
import subprocess
import sys

from harness import contains, digest, expect, fake_cuda, read, run

build, folder = sys.argv[1], sys.argv[2]
programs = f"{build}/test/programs"
gpu = {"LD_PRELOAD": fake_cuda(build, folder)[1]}
options = ["--task", "rule", "--steps", 30, "--warmup", 5, "--eval-every", 10, "--save-every", 11, "--threads", 1, "--quiet"]


def train(name, *more, program="fake_cuda", status=0, environment=gpu):
    """Runs a program for CUDA; returns what it said."""
    return run(f"{programs}/{program}", *options, *more, "--out", f"{folder}/{name}", status=status, environment=environment)


def numbers(name):
    """Losses, norms and evaluations of a run."""
    lines = [json.loads(line) for line in read(f"{folder}/{name}/metrics.jsonl").splitlines()]
    return [value for line in lines for value in line.values() if isinstance(value, float)]


for accumulate in (1, 3):
    micro = ["--accumulate", accumulate]
    train(f"graph{accumulate}", *micro)
    whole = digest(f"{folder}/graph{accumulate}", 30)
    ways = {"plain": ["--graph", "off"], "checked": ["--check-finite"], "profiled": ["--profile"],
            "skipping": ["--on-nonfinite", "skip"]}
    for name, more in ways.items() if accumulate == 1 else list(ways.items())[:1]:
        train(f"{name}{accumulate}", *micro, *more)
        expect(digest(f"{folder}/{name}{accumulate}", 30) == whole, f"{name}: other bits than with graphs")
    # The CPU rounds to bfloat16 in the same places, and adds up in another order.
    train(f"cpu{accumulate}", *micro, program="fake_mixed", environment={})
    got, expected = numbers(f"graph{accumulate}"), numbers(f"cpu{accumulate}")
    expect(len(got) == len(expected) > 60, "other numbers of lines")
    worst = max(abs(a - b) / max(1e-3, abs(b)) for a, b in zip(got, expected))
    expect(worst < 0.02, f"a number differs from the CPU's by {worst}")

# Where a graph cannot be made, all work runs as it comes from then on, and one warning says why: the first capture fails while
# ops are submitted, a later one when the graph is made.
reasons = {"spoiled": ({"STRETTO_FAKE_GPU_SPOIL": "1"}, "operation failed due to a previous error during capture"),
           "roomless": ({"STRETTO_FAKE_GPU_NO_ROOM": "2"}, "cannot make a graph of a step")}
for name, (seeded, reason) in reasons.items():
    told = train(name, environment={**gpu, **seeded})
    expect(told.startswith("warning: from here on each op of a step is submitted by itself") and told.count("\n") == 1, told)
    contains(told, reason)
    expect(digest(f"{folder}/{name}", 30) == digest(f"{folder}/plain1", 30), f"{name}: other bits than without graphs")

# A run that was stopped goes on with the same bits, and on the other target.
for step in (22, 30):
    shutil.rmtree(f"{folder}/graph1/ckpt/{step:08}")
shutil.copytree(f"{folder}/graph1", f"{folder}/elsewhere")
run(f"{programs}/fake_cuda", "--resume", "--quiet", "--out", f"{folder}/graph1", environment=gpu)
expect(digest(f"{folder}/graph1", 30) == digest(f"{folder}/plain1", 30), "bits differ after a resume")
run(f"{programs}/fake_f32", "--resume", "--quiet", "--out", f"{folder}/elsewhere")
worst = max(abs(a - b) / max(1e-3, abs(b)) for a, b in zip(numbers("elsewhere"), numbers("cpu1")))
expect(worst < 0.1, f"a run that went on on the CPU is off by {worst}")

# Profiles name every group, and every op once per step.
report = subprocess.run([f"{programs}/fake_cuda", "--task", "rule", "--bench"], input="time 4\nprofile 3\nmemory\n",
                        capture_output=True, text=True, env={**os.environ, **gpu})
expect(report.returncode == 0, report.stderr)
times, profile, memory = [json.loads(line) for line in report.stdout.splitlines()]
expect(len(times["seconds"]) == 4, "one time per step")
calls = {kernel["name"]: kernel["calls"] for kernel in profile["kernels"]}
expect(calls["adamw"] == calls["embed"] == calls["matmul 64 x 24 x 32"] == 1, f"calls of a step: {calls}")
expect(memory["planned"] == memory["measured"] == sum(memory["arenas"].values()), "planned, measured and arenas differ")

# A fault while the step runs, as it comes and replayed: the run ends, and the checkpoints before are good.
for name, more in {"faulty": ["--graph", "off"], "faulty-graph": []}.items():
    told = train(name, *more, status=1, environment={**gpu, "STRETTO_FAKE_GPU_FAULT": "200"})
    contains(told, "error: the GPU failed: a fault that was asked for (cudaErrorIllegalAddress); submitted last: ")
    contains(told, "copy from the device")
    contains(told, "Checkpoints already written are intact")
    steps = sorted(step for step in os.listdir(f"{folder}/{name}/ckpt") if step.isdigit())
    expect(steps == ["00000011"], f"checkpoints after a fault: {steps}")
    told = run(f"{programs}/fake_cuda", "--resume", "--quiet", "--out", f"{folder}/{name}", environment=gpu)
    expect(digest(f"{folder}/{name}", 30) == digest(f"{folder}/plain1", 30), f"{name}: bits differ after a fault")

# More memory than the GPU has is refused before the run directory is made; a loss that is no number ends the run.
contains(train("large", "--memory-limit", 1000000, status=1), "of memory, but needs ")
expect(not os.path.exists(f"{folder}/large"), "a run directory was begun")
# Libraries take a workspace of 32 MiB, and code that is loaded later needs some room, too.
contains(train("tight", status=1, environment={**gpu, "STRETTO_FAKE_GPU_MEMORY": "288"}), "the run must fit into 32.00 MiB of memory")
contains(train("steps", "--virtual-ranks", 1024, "--accumulate", 1000000, status=1),
         "of the host's memory, but need 2.50 TiB: take a smaller --accumulate")
train("room", environment={**gpu, "STRETTO_FAKE_GPU_MEMORY": "290"})
contains(train("nan", status=1, environment={**gpu, "STRETTO_FAKE_POISON": "15"}),
         "step 15: the loss must be a number, but got nan; no checkpoint holds this step")
contains(train("found", "--check-finite", status=1, environment={**gpu, "STRETTO_FAKE_POISON": "15"}),
         "step 15: the first NaN or infinity was written by cross_entropy at fake.stretto:4:1, in kernel 'loss.sum'")

# A kernel whose blocks need more shared memory than the GPU has is refused before the run.
contains(train("shared", status=1, environment={**gpu, "STRETTO_FAKE_GPU_SHARED": "163"}),
         "error: a block of the kernel 'tanh.grad' must fit into the shared memory of the device, made-up GPU (sm_90), at "
         "most 166912 bytes for a block, but needs 200000; compile it again: stretto compile SPEC --target=cuda "
         "--chip=sm_90")
expect(not os.path.exists(f"{folder}/shared"), "a run directory was begun")
# Nor one whose clusters do not fit. (Without clusters it would not be launched.)
contains(train("clusters", status=1, environment={**gpu, "STRETTO_FAKE_GPU_CLUSTER": "1"}),
         "error: a cluster of 2 blocks of the kernel 'loss' must fit into the device, made-up GPU, but it has no room for one")

# The driver compiles PTX when a kernel is first needed: that is before the run, and its compiler is heard.
contains(train("text", status=1, environment={**gpu, "STRETTO_FAKE_GPU": "8.6"}),
         "error: cannot load the program's PTX of sm_80: a PTX JIT compilation failed: line 1; fatal: this is no PTX")
expect(not os.path.exists(f"{folder}/text"), "a run directory was begun")
