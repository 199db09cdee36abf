"""Every model compiles for GPUs with all options, and no kernel spills registers: with sizes as in training, where rows are wide
and vectors have their full width.

REQUIRES: compiler, ptxas
RUN: %python3 %s %t
"""
import re
import subprocess
import sys

from kernels import ROOT, SUBSETS
from harness import expect

WIDE = ["--batch=4", "--length=512", "--vocab=1024"]
CASES = [
    ("llama", "dim=768 layers=2", ""),
    ("llama", "dim=768 layers=2", "--dtype=bf16"),
    ("llama", "dim=768 layers=2 canon_at={} qk_norm=head", "--dtype=bf16 --chip=sm_80"),
    ("llama", "dim=768 layers=2 mlp_kind=standard activation=gelu canon_bias=true qk_norm=whole", "--memory-budget=16M"),
    ("llama", "dim=256 layers=2", "--dtype=f64 --chip=sm_80"),
    ("llama", "dim=768 layers=2", "--dtype=f64"),
    ("llama", "dim=256 layers=2", "--fuse=none"),
    ("llama", "dim=768 layers=2 tied=true kv_heads=4 rotary_fraction=0.25", "--dtype=bf16 --decode=64 --mask-documents"),
    ("llama", "dim=768 layers=2 kv_heads=2 rotary_fraction=0 canon_activation=silu canon_kernel=3", "--decode=64 --chip=sm_80"),
    ("llama", "dim=768 layers=2 rotary_heads=0.5 canon_residual=false activation=relu2", "--mask-documents --chip=sm_80"),
    ("llama", "dim=1536 layers=2 tied=true", "--vocab=10000 --chip=sm_80"),
    ("llama", "dim=1536 layers=2 canon_frozen=true", ""),
    ("llama", "dim=2048 layers=2", ""),
    ("llama", "dim=2048 layers=2", "--dtype=bf16"),
    ("hybrid", "dim=256 layers=4", "--dtype=bf16"),
    ("hybrid", "dim=512 layers=4", "--memory-budget=8M --decode=64 --mask-documents"),
    ("gdn", "dim=768 layers=2", "--dtype=bf16"),
    ("gdn", "dim=1024 layers=2", ""),
    ("gla", "dim=1024 layers=2", "--dtype=bf16"),
    ("mamba2", "dim=768 layers=2", "--dtype=bf16"),
    ("hello", "dim=64", "--chip=sm_80"),
    ("hello", "dim=64", "--dtype=bf16 --decode=16"),
]


def compile_model(*arguments):
    result = subprocess.run(arguments, capture_output=True, text=True)
    expect(result.returncode == 0, f"{arguments}: {result.stderr}")
    return result.stderr


def command(model, sizes, options):
    sets = [word for size in sizes.split() for word in ("--set", size)]
    return ["stretto-compile", f"{ROOT}/models/{model}.stretto", *WIDE, *sets, *options.split(), "--target=cuda"]


# The assembler takes most of the time: it runs once for each case, and other subsets of Canon's places stop in front of it.
for subset in SUBSETS:
    for options in ("", "--dtype=bf16", "--dtype=f64", "--fuse=none"):
        compile_model(*command("llama", f"dim=64 layers=2 canon_at={subset}", options), "--emit=nvvm", "-o", sys.argv[1])
problems = []
for case in CASES:
    text = compile_model(*command(*case), "--emit=llvm", "-o", sys.argv[1])
    with open(sys.argv[1], encoding="utf-8") as file:
        expect("stretto.image.0" in file.read(), f"{case}: no image for the GPU")
    spills = re.findall(r"kernel '(\S+)' spills (\d+) bytes", text)
    problems += [f"{case}: {kernel} spills {count} bytes" for kernel, count in spills]
expect(not problems, "\n".join(problems))
