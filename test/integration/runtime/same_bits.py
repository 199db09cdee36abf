"""The same bits for every number of threads, on the device that runs everything late, and from files.

REQUIRES: runtime
RUN: %python %s %build/test/programs %t
"""
import json
import os
import re
import shutil
import sys

from harness import contains, digest, expect, read, run, tensors

programs, folder = sys.argv[1], sys.argv[2]
options = ["--task", "rule", "--steps", "30", "--accumulate", "2", "--eval-every", "10", "--quiet"]
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)


for program in ("fake_f32", "fake_f64", "fake_mixed"):
    digests = set()
    for name, more in {"one": ["--threads", 1], "two": ["--threads", 2], "three": ["--threads", 3],
                       "late": ["--device", "null-async"], "anew": ["--device", "null-async", "--graph", "off"],
                       "skip": ["--device", "null-async", "--on-nonfinite", "skip"]}.items():
        out = f"{folder}/{program}-{name}"
        run(f"{programs}/{program}", *options, *more, "--out", out)
        digests.add(digest(out, 30))
    expect(len(digests) == 1, f"{program}: bits depend on threads or device")

# Where matmuls read a bf16 copy of the weights, the copy follows weights that come in: a resumed run has the bits of
# one that never stopped, and an evaluation of its weights says what the run said.
mixed = f"{programs}/fake_mixed"
run(mixed, *options, "--steps", 30, "--save-every", 11, "--out", f"{folder}/mixed-whole")
shutil.copytree(f"{folder}/mixed-whole", f"{folder}/mixed-again")
for step in (22, 30):
    shutil.rmtree(f"{folder}/mixed-again/ckpt/{step:08}")
told = run(mixed, "--resume", "--out", f"{folder}/mixed-again", "--progress", "plain")
expect(digest(f"{folder}/mixed-again", 30) == digest(f"{folder}/mixed-whole", 30), "bits differ after a resume")
contains(told, "(F32 and BF16, ")
contains(told, "warning: ")
contains(told, "emulated on the CPU, which is slow")
loss, accuracy = re.search(r"^evaluation at step 30: (loss \S+)  accuracy (\S+) %", told, re.M).groups()
told = run(mixed, *options[:2], "--steps", 0, "--init-from", f"{folder}/mixed-whole", "--out", "none", "--progress", "plain")
contains(told, f"evaluation: {loss}\n")
scored = re.search(r"^accuracy +(\S+) %", told, re.M)[1]
expect(f"{float(scored):.1f}" == accuracy, f"the same weights score {scored} %, but {accuracy} % in the run")

# A run changes its target on the way: checkpoints know neither target nor type of the activations.
for first, second in (("fake_f32", "fake_mixed"), ("fake_mixed", "fake_f32")):
    out = f"{folder}/{first}-then-{second}"
    run(f"{programs}/{first}", *options, "--steps", 15, "--warmup", 0, "--out", out)
    run(f"{programs}/{second}", "--resume", "--steps", 30, "--quiet", "--out", out)
    losses = [json.loads(line)["loss"] for line in read(f"{out}/metrics.jsonl").splitlines() if b'"grad_norm"' in line]
    expect(len(losses) == 30 and losses[29] < losses[14] < losses[0], f"{second} does not go on from {first}: {losses}")

# The gradients of the first step from its dumped batch are those from the task.
fake = f"{programs}/fake_f64"
run(fake, *options, "--steps", 1, "--out", "none", "--dump-batch", f"{folder}/batch", "--dump-gradients", f"{folder}/first")
run(fake, "--tokens", f"{folder}/batch", "--steps", 1, "--accumulate", 2, "--out", "none", "--dump-gradients",
    f"{folder}/second", "--quiet")
expect(tensors(f"{folder}/first") == tensors(f"{folder}/second"), "gradients from a dumped batch differ")
expect(tensors(f"{folder}/first")["head.weight"][:2] == ("F64", [32, 24]), "gradients have the wrong form")

# Weights of a checkpoint come in by name, also in the other precision.
weights = f"{folder}/fake_f64-one/ckpt/00000030/weights.safetensors"
run(fake, *options, "--steps", 0, "--init-from", weights, "--out", f"{folder}/loaded")
run(fake, *options, "--steps", 1, "--lr", 0, "--weight-decay", 0, "--init-from", weights, "--out", f"{folder}/loaded2")
expect(tensors(f"{folder}/loaded2/ckpt/00000001/weights.safetensors") == tensors(weights), "weights changed on the way")
run(f"{programs}/fake_f32", *options, "--steps", 1, "--init-from", weights, "--out", "none")

# A run repeats from what its directory holds.
run(f"{folder}/fake_f32-one/rerun.sh", f"{folder}/again")
expect(digest(f"{folder}/again", 30) == digest(f"{folder}/fake_f32-one", 30), "a repeated run differs")

# The report of --profile names the groups.
report = run(fake, "--task", "rule", "--steps", "30", "--out", "none", "--profile")
for group in ("matmuls", "rowwise", "loss", "optimizer", "embedding", "unattributed"):
    contains(report, group)

# The gradient of both micro-batches against PyTorch, through the whole program.
import torch  # noqa: E402

batch = {name: torch.frombuffer(bytearray(data), dtype={"F64": torch.float64, "I32": torch.int32, "U8": torch.uint8}[kind])
         .reshape(shape) for name, (kind, shape, data) in tensors(f"{folder}/batch").items()}
parameters = {name: torch.frombuffer(bytearray(data), dtype=torch.float64).reshape(shape).requires_grad_()
              for name, (_, shape, data) in tensors(weights).items()}
run(fake, "--tokens", f"{folder}/batch", "--steps", 1, "--accumulate", 2, "--init-from", weights, "--out", "none",
    "--dump-gradients", f"{folder}/trained", "--quiet")
hidden = torch.tanh(parameters["embed.weight"][batch["tokens"].long()] @ parameters["hidden.weight"])
nll = torch.nn.functional.cross_entropy((hidden @ parameters["head.weight"]).flatten(0, 1),
                                        batch["targets"].long().flatten(), reduction="none")
(nll * batch["weights"].flatten()).sum().backward()
for name, (_, shape, data) in tensors(f"{folder}/trained").items():
    got = torch.frombuffer(bytearray(data), dtype=torch.float64).reshape(shape)
    error = (got - parameters[name].grad).abs().max() / parameters[name].grad.abs().max()
    expect(error < 1e-12, f"gradient of {name} differs from PyTorch by {error}")
