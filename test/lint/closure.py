# RUN: %python3 %s %build/bin
"""Compiler and runtime are two products: no program of the runtime (nor the dispatcher) holds or loads MLIR or LLVM,
none of the compiler holds or loads LibTorch. Looks at what the dynamic linker would load and at the symbols that are
linked in. Further programs may be named after the folder; they are held to the rules of the runtime."""
import re
import subprocess
import sys
from pathlib import Path

COMPILER = {"stretto-compile", "stretto-opt", "stretto-reduce", "stretto-lsp"}
DISPATCHER = {"stretto"}

MLIR = re.compile(r"lib(LLVM|MLIR|clang)")
TORCH = re.compile(r"lib(torch|c10)")
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


def problems(name, libraries, symbols):
    compiler, dispatcher = name in COMPILER, name in DISPATCHER
    found = []
    if not compiler:
        found += [library for library in libraries if MLIR.match(library)]
        found += [symbol for symbol in symbols if MLIR_SYMBOL.match(symbol) or LLVM_THREADS.match(symbol)]
    if compiler or dispatcher:
        found += [library for library in libraries if TORCH.match(library)]
        found += [symbol for symbol in symbols if TORCH_SYMBOL.match(symbol)]
    return found


def is_elf(path):
    return path.is_file() and path.open("rb").read(4) == b"\x7fELF"


def main(folder, extra):
    programs = sorted(path for path in folder.iterdir() if is_elf(path)) + extra
    failures = []
    for program in programs:
        if found := problems(program.name, loaded_libraries(program), linked_symbols(program)):
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


self_test()
sys.exit(main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]))
