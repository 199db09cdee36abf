"""Programs whose kernels check addresses: the same bits where nothing is wrong, at sizes that no vector divides, and an end
with the name of the kernel where one works on a chunk that is not there.

REQUIRES: compiler, runtime
RUN: %python3 %s %t
"""
import os
import re
import subprocess
import sys

from programs import ROOT, TASK, digest, empty, expect, read, run

folder = empty(sys.argv[1])
MODEL = os.path.join(ROOT, "models", "hybrid.stretto")
SHAPE = [*TASK, "--batch", 3, "--length", 67]
SPEC = [MODEL, *SHAPE, "--set", "dim=20", "--set", "layers=2", "--set", "heads=2", "--set", "period=2", "--decode", 7,
        "--fuse=always"]
RUN = [*TASK, "--steps", 2, "--eval-batches", 1, "--accumulate", 2, "--threads", 2, "--quiet"]


def compiled(name, *arguments):
    run("stretto", "compile", *arguments, "-o", f"{folder}/{name}")
    return f"{folder}/{name}"


digests, written = set(), set()
for name, more in {"plain": [], "checked": ["--sanitize"], "emulated": ["--sanitize", "--target=cuda", "--emulate"]}.items():
    program = compiled(name, *SPEC, *more)
    run(program, *RUN, "--out", f"{folder}/{name}.run")
    # A prompt that fills chunks and leaves a rest.
    told = run(program, *TASK, "--steps", 0, "--init-from", f"{folder}/{name}.run", "--prompt", "3 1 4 1 5 9 2 6 5 3 5 8 9 7 9 3",
               "--write", 3, "--out", "none", "--quiet")
    if name != "emulated":
        written.add(told.splitlines()[0])
        digests.add(digest(f"{folder}/{name}.run", 2))
expect(len(digests) == 1 and len(written) == 1, "other bits where addresses are checked")

# One chunk too many, in the code of some kernels, as the last pass leaves it: on it goes into what lies behind the buffers.
run("stretto", "compile", *SPEC, "--emit=llvm", "-o", f"{folder}/code", f"--dump-ir={folder}/dump")
code = read(f"{folder}/dump/{max(name for name in os.listdir(f'{folder}/dump') if name.endswith('.mlir'))}").decode()
headers = dict(re.findall(r"^( *llvm\.func [a-z_ ]*@(?:gradients\.(?:rowwise|matmul)|apply\.adamw)[\w.]*)(\(.*\{\n)", code, re.M))
chosen = [header for header in headers if "sum" not in header and "pack" not in header]
expect(len(chosen) > 15, f"no kernels but {chosen}")
for header in chosen[2::20] + chosen[-1:]:
    longer = headers[header].replace("%arg2: i64", "%end: i64") + "%one = llvm.mlir.constant(1 : i64) : i64\n%arg2 = llvm.add %end, %one : i64\n"
    with open(f"{folder}/longer.mlir", "w", encoding="utf-8") as file:
        file.write(code.replace(header + headers[header], header + longer))
    faulty = compiled("longer", f"{folder}/longer.mlir", *SHAPE, "--sanitize")
    result = subprocess.run([faulty, *map(str, RUN), "--out", "none"], capture_output=True, text=True)
    kernel = header.split("@")[1]
    expect(result.returncode != 0 and re.search(rf"AddressSanitizer: (.|\n)*in {re.escape(kernel)} ", result.stderr),
           f"one chunk too many of {kernel} was not found:\n{result.stderr[:3000]}")
