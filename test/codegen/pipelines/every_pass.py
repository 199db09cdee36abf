"""Every pass of ours and every phase, on every stage of every model: a result or an error with its reason, never a crash.
A phase goes on from the stage before it alone. Where tests do not run whole, a pass meets a stage of every fourth model.

RUN: %python3 %s %models %t
"""
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from whole import WHOLE

SHAPE = ["--batch", "2", "--length", "16", "--vocab", "64", "--cpu", "x86-64-v3"]
CUDA = ["--target", "cuda", "--emulate", "--decode", "4", "--mask-documents", "--locations"]
# name: the stage, what it is printed with, the phases that may follow
STAGES = {
    "seq": ("seq", [], {"train"}),
    "train": ("train", [], {"fused"}),
    "fused": ("fused", [], {"kernels"}),
    "kernels": ("kernels", [], {"nvvm", "llvm"}),
    "train-bf16": ("train", [*CUDA, "--dtype", "bf16"], {"fused"}),
    "fused-bf16": ("fused", [*CUDA, "--dtype", "bf16"], {"kernels"}),
    "kernels-cuda": ("kernels", CUDA, {"nvvm"}),
    "nvvm": ("nvvm", CUDA, {"llvm"}),
}


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True)


def passes():
    text = run("stretto-opt", "--help").stdout
    return sorted(set(re.findall(r"^ +--((?:seq|kern|stretto)-[a-z-]+)", text, re.MULTILINE)))


def write_stages(models, out):
    """(file, phases that may follow) of each stage, and of modules that hold no model"""
    for model in sorted(models.glob("*.stretto")):
        for name, (stage, options, next_phases) in STAGES.items():
            file = out / f"{model.stem}.{name}.mlir"
            result = run("stretto-compile", model, *SHAPE, *options, "--emit", stage, "-o", file)
            assert result.returncode == 0, f"{file.name}: {result.stderr}"
            yield file, next_phases
        kernels, file = out / f"{model.stem}.kernels.mlir", out / f"{model.stem}.llvm.mlir"
        assert run("stretto-opt", kernels, "--stretto-llvm=cpu=x86-64-v3", "-o", file).returncode == 0
        yield file, set()
    for name, text in {"empty": "", "declaration": "func.func private @main(tensor<2x8xi32>) -> tensor<2x8x4xf32>\n"}.items():
        file = out / f"{name}.mlir"
        file.write_text(text)
        yield file, set()


def problem(file, name, next_phases):
    result = run("stretto-opt", f"--{name}", file, "-o", "/dev/null")
    says = "error: " in result.stderr and "PLEASE submit a bug report" not in result.stderr
    if result.returncode != 0 and not (result.returncode == 1 and says):
        return f"{file.name} --{name}: status {result.returncode}\n{result.stderr[-1500:]}"
    if name == "stretto-expect-stage" or not name.startswith("stretto-"):
        return ""
    follows = name.removeprefix("stretto-") in next_phases
    if follows != (result.returncode == 0):
        return f"{file.name} --{name}: {'must go on' if follows else 'must be refused'}\n{result.stderr[-1500:]}"
    return ""


def main(models, out):
    out.mkdir(parents=True, exist_ok=True)
    stages, names = list(write_stages(models, out)), passes()
    assert len(stages) >= 20 and len(names) >= 30, (len(stages), names)
    with ThreadPoolExecutor(2) as pool:
        cells = [(file, name, phases) for row, (file, phases) in enumerate(stages) for column, name in enumerate(names)
                 if WHOLE or (row + column) % 4 == 0 or file.stem in ("empty", "declaration")]  # fmt: skip
        problems = [text for text in pool.map(lambda cell: problem(*cell), cells) if text]
    sys.exit("\n".join(problems) if problems else 0)


main(Path(sys.argv[1]), Path(sys.argv[2]))
