"""Nothing grows with depth but tables, of parameters and of buckets: kernels, IR and code of llama with Canon ABCD are those of 2
layers at 96. Explanation and summary come within 2 seconds of processor time at any depth.

REQUIRES: compiler
RUN: %python3 %s
"""
import os
import re
import subprocess

from programs import LLAMA, expect

SIZES = ["--batch", "2", "--length", "64", "--vocab", "64", "--set", "dim=64", "--set", "canon_at={A, B, C, D}", "--bucket-bytes", "64K"]


def compiled(command, layers, *options):
    """What a command prints, and the processor time it took."""
    before = os.times()
    result = subprocess.run(["stretto", command, LLAMA, *SIZES, "--set", f"layers={layers}", *options],
                            capture_output=True, text=True)
    after = os.times()
    expect(result.returncode == 0, f"{command} at {layers} layers: {result.stderr}")
    return result.stdout, after.children_user + after.children_system - before.children_user - before.children_system


def shape(text):
    """The text without its numbers, and without what has a line or a number for each layer."""
    text = re.sub(r"kern\.buckets = \[.*?\], |buckets \[.*?\]", "", text)
    return [re.sub(r"-?\d+", "#", line) for line in text.splitlines() if "seq.parameter" not in line]


few, fewTime = compiled("compile", 2, "--emit=kernels")
many, manyTime = compiled("compile", 96, "--emit=kernels")
kernels = [len(re.findall(r"kern\.rowwise", text)) for text in (few, many)]
lines = [len(text.splitlines()) for text in (few, many)]
expect(kernels[0] == kernels[1] > 0, f"kernels at 2 and 96 layers: {kernels}")
expect(lines[0] == lines[1], f"lines of IR at 2 and 96 layers: {lines}")
different = [pair for pair in zip(shape(few), shape(many)) if pair[0] != pair[1]]
expect(not different, f"IR at 2 and 96 layers differs in more than numbers: {different[:2]}")

few, fewCode = compiled("compile", 2, "--emit=asm")
many, manyCode = compiled("compile", 96, "--emit=asm")
functions = [len(re.findall(r"^\s+\.type\s.*@function", text, re.M)) for text in (few, many)]
expect(functions[0] == functions[1] > 0, f"functions at 2 and 96 layers: {functions}")

for command in ("explain", "summary"):
    for layers in (2, 96):
        _, seconds = compiled(command, layers)
        print(f"{command} at {layers} layers: {seconds:.2f} s of processor time")
        expect(seconds <= 2, f"{command} at {layers} layers took {seconds:.2f} s of processor time")
print(f"{kernels[0]} kernels, {lines[0]} lines of IR, {functions[0]} functions; time at 96 / at 2 layers: "
      f"{manyTime / fewTime:.2f} to kernels, {manyCode / fewCode:.2f} to code")
