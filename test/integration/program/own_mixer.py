"""The mixer of one's own in docs/mixers.md, on the way of a user: trained on a grammar with the same bits on any number of
threads and after a kill, writing with caches as without, and the same as the PyTorch that is emitted.

REQUIRES: compiler, runtime
RUN: %python %s %t
"""
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from programs import ROOT, contains, digest, empty, expect, program, run

for part in ("docs", "test/support", "test/integration/oracle"):
    sys.path.insert(0, os.path.join(ROOT, part))
import decode
from decoding import Setting
from oracle import Case, agree, differences
from run_examples import blocks_of
from training_program import read_safetensors

folder, STEPS = empty(sys.argv[1]), 30
spec = f"{folder}/own.stretto"
(text,) = (block.text for block in blocks_of(Path(ROOT, "docs", "mixers.md").read_text(encoding="utf-8"))
           if block.value("file") == "own.stretto")
Path(spec).write_text(text, encoding="utf-8")
os.symlink(f"{ROOT}/models/std", f"{folder}/std")
Path(f"{folder}/own.grammar").write_text("terminals a b c\nS -> A B | B A\nA -> a a | b\nB -> c c | a c | b c c\n")
SIZE = {"dim": 16, "layers": 2, "heads": 4}
GRAMMAR = ["--task-set", f"grammar={folder}/own.grammar"]
MODEL = ["--task", "lano", "--batch", 8, "--length", 40, *GRAMMAR, *(f"--set={name}={value}" for name, value in SIZE.items())]

told = run("stretto", "explain", spec, *MODEL)
contains(told, "the state before each 256 tokens")
contains(told, "8 matmuls of one input are one matmul")  # q, k and v of both halves, beta and the gate

trained = program(spec, *MODEL)
options = ["--task", "lano", *GRAMMAR, "--steps", STEPS, "--save-every", 5, "--lr", "1e-2", "--warmup", 5, "--eval-batches", 1,
           "--eval-generate", 0]
for threads in (1, 2):
    run(trained, *options, "--threads", threads, "--quiet", "--out", f"{folder}/{threads}")
expect(digest(f"{folder}/1", STEPS) == digest(f"{folder}/2", STEPS), "bits depend on the number of threads")

command = [trained, *options, "--threads", 1, "--progress", "plain", "--log-every", 1, "--out", f"{folder}/killed"]
process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True)
while "step 12/" not in (line := process.stdout.readline()):
    expect(line, "the run ended before step 12")
process.kill()
process.communicate()
expect(not os.path.exists(f"{folder}/killed/ckpt/{STEPS:08}"), "the run was over before it was killed")
run(*command, "--resume")
expect(digest(f"{folder}/killed", STEPS) == digest(f"{folder}/1", STEPS), "other bits after a kill")


def written(*more):
    path = f"{folder}/scores.jsonl"
    run("stretto", "eval", f"{folder}/1", "--threads", 1, "--progress", "plain", "--eval-batches", 0, "--eval-generate", 16,
        "--scores", path, *more)
    return Path(path).read_text().splitlines()[-1].split('"scores"')[1]


expect(written() == written("--decode", 0), "what is written with caches differs from what is written without")
in_f64 = Case("own", spec, SIZE, batch=3, length=35)  # logits, with pieces of prompts
expect(not (problems := decode.problems_of(Setting(in_f64, 0), 4)), f"{problems}")

run("stretto", "compile", spec, *MODEL, "--emit=pytorch", "-o", f"{folder}/own.py")
definition = importlib.util.spec_from_file_location("own", f"{folder}/own.py")
own = importlib.util.module_from_spec(definition)
definition.loader.exec_module(own)
weights = f"{folder}/1/ckpt/{STEPS:08}/weights.safetensors"
exact = program(spec, *MODEL, "--dtype", "f64")
run(exact, *options[:4], "--steps", 1, "--lr", 0, "--eval-batches", 0, "--eval-generate", 0, "--threads", 1, "--quiet",
    "--init-from", weights, "--dump-batch", f"{folder}/batch", "--dump-gradients", f"{folder}/gradients", "--out", f"{folder}/step")
model = own.load_stretto(weights).double()
try:
    own.read_stretto(spec)
    raise SystemExit("a spec is read as a safetensors file")
except ValueError as error:
    contains(str(error), f"'{spec}' must be a safetensors file, but has no room for a header of ")
batch = own.read_stretto(f"{folder}/batch")
loss = own.loss(model(batch["tokens"].long()), batch["targets"].long(), batch["weights"].double())
loss.backward()
found = json.loads(Path(f"{folder}/step/metrics.jsonl").read_text().splitlines()[0])["loss"]
expect(agree(found, loss.item(), 1e-10, 0), f"loss {found!r}, PyTorch {loss.item()!r}")
expected = {name: weight.grad.numpy() for name, weight in model.named_parameters()}
problems = differences(read_safetensors(f"{folder}/gradients"), expected, 1e-10)
expect(not problems, f"against PyTorch: {problems}")
