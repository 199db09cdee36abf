# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""Who may include whom (the table of docs/architecture.md), read from the #include lines of the sources
and the include lines of the .td files."""
import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

AREAS = ("runtime/abi", "runtime", "ir", "frontend", "passes", "codegen", "tasks", "tools")
COMPILER_TOOLS = ("stretto-compile", "stretto-opt", "stretto-translate")

# area -> areas of the tree it may include besides itself
MAY_INCLUDE = {
    "runtime/abi": set(),
    "runtime": {"runtime/abi"},
    "ir": set(),
    "frontend": {"ir"},
    "passes": {"runtime/abi", "ir"},
    "codegen": {"runtime/abi", "ir", "passes"},
    "tasks": {"runtime"},
    "tool of the compiler": {"runtime/abi", "ir", "frontend", "passes", "codegen", "tools"},
    "tool of the runtime": {"runtime/abi", "runtime", "tasks", "tools"},
    "dispatcher": {"tools"},
}
MLIR = {"ir", "frontend", "passes", "codegen", "tool of the compiler"}
LIBTORCH = {"runtime", "tool of the runtime"}
# What the dispatcher reads of both halves: what a backend can be told, how files of a run directory end, what a program can be
# told, what options are called elsewhere, which name is near, how commands are typed, what a whole number is, and how things
# are counted.
PLAIN_DATA = ("codegen/target/BackendOptions.h", "runtime/core/sealed.h", "runtime/core/program_options.h",
              "runtime/core/option_habits.h", "runtime/core/nearest.h", "runtime/core/command_line.h",
              "runtime/core/whole_number.h", "runtime/core/counted.h")
# Of the frontend only the way out knows MLIR; the rest is text, syntax trees and types.
FRONTEND_MLIR = ("frontend/lowering/", "frontend/Frontend.")

# Folder of the runtime -> folders of the runtime it may include besides itself: never in a circle
RUNTIME_MAY_INCLUDE = {
    "abi": set(),
    "core": {"abi"},
    "emulator": {"abi"},
    "dist": {"abi", "core"},
    "library": {"abi", "core"},
    "device": {"abi", "core", "dist", "library"},
    "train": {"abi", "core", "dist", "device"},
    "generate": {"abi", "core", "train"},
    "program": {"abi", "core", "dist", "device", "train", "generate"},
    "runs": {"core", "train"},
}

IS_MLIR = re.compile(r"(mlir|mlir-c)/")
IS_LLVM = re.compile(r"(llvm|llvm-c|clang|lld)/")
IS_TORCH = re.compile(r"(ATen|torch|c10|caffe2)/")
IS_C10D = re.compile(r"torch/csrc/distributed/")
INCLUDE = re.compile(r'^\s*#?\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.M)


def area_of(path):
    """The row of the table a file of the tree belongs to; None outside of it."""
    if path.startswith("tools/stretto/"):
        return "dispatcher"
    if path.startswith("tools/"):
        tool = path.split("/")[1]
        return "tool of the compiler" if tool in COMPILER_TOOLS else "tool of the runtime"
    return next((area for area in AREAS if path.startswith(area + "/")), None)


def problem(path, included, exists):
    """Why `path` may not include `included`, or None. `exists`: whether a path of the tree is a file."""
    area = area_of(path)
    beside = str(Path(path).parent / included)
    target = beside if exists(beside) else included
    if IS_MLIR.match(target) or IS_LLVM.match(target):
        if area not in MLIR:
            return f"{area} may not include MLIR or LLVM"
        if area == "frontend" and IS_MLIR.match(target) and not path.startswith(FRONTEND_MLIR):
            return "of the frontend only lowering/ and Frontend.h may include MLIR"
        return None
    if IS_C10D.match(target) and not path.startswith("runtime/dist/"):
        return "only runtime/dist may include c10d"
    if path.startswith("runtime/") and target.startswith("runtime/"):
        folder, other = path.split("/")[1], target.split("/")[1]
        if other != folder and other not in RUNTIME_MAY_INCLUDE[folder]:
            return f"of the runtime, {folder} may not include {other}"
    if IS_TORCH.match(target):
        return None if area in LIBTORCH else f"{area} may not include LibTorch"
    other = area_of(target)
    if other is None or other == area or other in MAY_INCLUDE[area]:
        return None
    if area == "dispatcher" and target in PLAIN_DATA:
        return None
    if other in ("dispatcher", "tool of the compiler", "tool of the runtime"):
        return None if "tools" in MAY_INCLUDE[area] else f"{area} may not include tools"
    return f"{area} may not include {other}"


def check(root):
    failures, files = [], 0
    for top in sorted({area.split("/")[0] for area in AREAS}):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".hpp", ".inc", ".c", ".cpp", ".td"):
                continue
            files += 1
            path = str(file.relative_to(root))
            text = file.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                included = match[1] or match[2]
                reason = problem(path, included, lambda p: (root / p).is_file())
                if reason:
                    line = text.count("\n", 0, match.start(match.lastindex)) + 1
                    failures.append(f"{path}:{line}: {reason} ({included})")
    if not files:
        failures.append(f"no sources found in {root}")
    print("\n".join(failures) or f"{files} files follow the table")
    return bool(failures)


def self_test():
    def allowed(path, included):
        return problem(path, included, lambda p: False) is None

    assert allowed("codegen/Cpu/A.cpp", "runtime/abi/abi.h")
    assert not allowed("codegen/Cpu/A.cpp", "runtime/core/program.h")
    assert not allowed("codegen/Cpu/A.cpp", "ATen/ATen.h")
    assert not allowed("passes/A.cpp", "frontend/parse/Parser.h")
    assert not allowed("runtime/core/a.cpp", "llvm/ADT/StringRef.h")
    assert allowed("runtime/core/a.cpp", "ATen/ops/mm.h")
    assert allowed("runtime/dist/a.cpp", "torch/csrc/distributed/c10d/TCPStore.hpp")
    assert not allowed("runtime/train/a.cpp", "torch/csrc/distributed/c10d/TCPStore.hpp")
    assert not allowed("runtime/dist/a.cpp", "runtime/train/step.h")
    assert not allowed("runtime/train/a.cpp", "runtime/generate/decoder.h")
    assert not allowed("runtime/library/a.cpp", "runtime/device/cpu/mixer/mixer.h")
    assert allowed("runtime/device/a.cpp", "runtime/library/operation.h")
    assert allowed("runtime/program/a.cpp", "runtime/generate/decoder.h")
    assert not allowed("frontend/parse/Parser.cpp", "mlir/IR/Builders.h")
    assert allowed("frontend/lowering/Build.cpp", "mlir/IR/Builders.h")
    assert not allowed("tools/stretto/main.cpp", "runtime/train/task.h")
    assert allowed("tools/stretto/options.cpp", "codegen/target/BackendOptions.h")
    assert allowed("tools/stretto/train.cpp", "runtime/core/sealed.h")
    assert not allowed("tools/data/main.cpp", "codegen/target/BackendOptions.h")
    assert allowed("tools/stretto-compile/main.cpp", "codegen/pipelines/Pipelines.h")
    assert not allowed("tools/data/main.cpp", "codegen/pipelines/Pipelines.h")
    TopologicalSorter(RUNTIME_MAY_INCLUDE).prepare()  # throws where folders include each other in a circle
    assert INCLUDE.search('include "mlir/IR/OpBase.td"')[1] == "mlir/IR/OpBase.td"
    return False


sys.exit(self_test() if sys.argv[1] == "--self-test" else check(Path(sys.argv[1])))
