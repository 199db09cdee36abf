# RUN: %python3 %s %root %build/bin
"""Compiler and runtime are two products: no program of the runtime (nor the dispatcher) holds or loads MLIR or LLVM,
none of the compiler holds or loads LibTorch. Looks at what the dynamic linker would load and at the symbols that are
linked in. Programs of the test suite may belong to either, not to both. None needs CUDA's half of LibTorch, which
programs for CUDA load by themselves. Further programs may be named after the folder; they are held to the rules of the
runtime."""
import re
import subprocess
import sys
from pathlib import Path

COMPILER = {"stretto-compile", "stretto-opt", "stretto-translate"}
DISPATCHER = {"stretto"}

MLIR = re.compile(r"lib(LLVM|MLIR|clang)")
TORCH = re.compile(r"lib(torch|c10)")
# What LibTorch's CPU half brings by itself (libcudart, libcupti) is not among them.
CUDA = re.compile(r"lib(torch_cuda|c10_cuda|stretto_cuda|cublas|cudnn|nccl)|libcuda\.so")
# As the linker writes them: names inside the namespaces llvm, mlir; at, c10; LLVM's own threads.
MLIR_SYMBOL = re.compile(r"_ZN?K?(?:4llvm|4mlir)\d")
TORCH_SYMBOL = re.compile(r"_ZN?K?(?:2at|3c10|5torch)\d")
LLVM_THREADS = re.compile(r"__kmpc_\w+")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def loaded_libraries(program):
    """Names of all libraries, direct or not."""
    return re.findall(r"^\s*(\S+)", run("ldd", program), re.M)


def linked_symbols(program):
    """Names of all symbols, defined or not; of a stripped program the dynamic ones."""
    names = run("nm", "--format=posix", program) or run("nm", "-D", "--format=posix", program)
    return [line.split()[0] for line in names.splitlines() if line]


def problems(name, libraries, symbols, is_tool=True):
    """What the program of this name should not hold: libraries and symbols."""
    mlir = [library for library in libraries if MLIR.match(library)]
    mlir += [symbol for symbol in symbols if MLIR_SYMBOL.match(symbol) or LLVM_THREADS.match(symbol)]
    torch = [library for library in libraries if TORCH.match(library)]
    torch += [symbol for symbol in symbols if TORCH_SYMBOL.match(symbol)]
    if not is_tool:
        return mlir + torch if mlir and torch else []
    if name in DISPATCHER:
        return mlir + torch
    return torch if name in COMPILER else mlir + [library for library in libraries if CUDA.match(library)]


def names_of_tools(root):
    return {match for file in (root / "tools").glob("*/CMakeLists.txt")
            for match in re.findall(r"add_executable\((\S+)", file.read_text(encoding="utf-8"))}


def is_elf(path):
    return path.is_file() and path.open("rb").read(4) == b"\x7fELF"


def main(root, folder, extra):
    tools = names_of_tools(root) | {path.name for path in extra}
    programs = sorted(path for path in folder.iterdir() if is_elf(path)) + extra
    failures = []
    for program in programs:
        name, libraries, symbols = program.name, loaded_libraries(program), linked_symbols(program)
        if found := problems(name, libraries, symbols, is_tool=name in tools):
            failures.append(f"{program.name}: {', '.join(found[:5])}{' ...' if len(found) > 5 else ''}")
    if not programs:
        failures.append(f"no programs in {folder}")
    print("\n".join(failures) or f"{len(programs)} programs hold to their half")
    return bool(failures)


def self_test():
    assert problems("stretto-opt", ["libMLIR.so.22.1"], ["_ZN4mlir3fooEv"]) == []
    assert problems("stretto-opt", ["libtorch_cpu.so"], []) == ["libtorch_cpu.so"]
    assert problems("stretto-data", ["libtorch_cpu.so"], ["_ZN2at3mmEv"]) == []
    assert problems("stretto-data", ["libLLVM.so.22.1"], []) == ["libLLVM.so.22.1"]
    assert problems("prog", [], ["_ZN4llvm3fooEv", "__kmpc_fork_call"]) == ["_ZN4llvm3fooEv", "__kmpc_fork_call"]
    assert problems("stretto", ["libc10.so"], []) == ["libc10.so"]
    assert problems("prog", ["libtorch_cpu.so", "libcudart.so.13", "libtorch_cuda.so"], []) == ["libtorch_cuda.so"]
    assert problems("some-test", ["libMLIR.so.22.1"], [], is_tool=False) == []
    assert problems("some-test", ["libMLIR.so.22.1", "libc10.so"], [], is_tool=False) != []


self_test()
sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]]))
