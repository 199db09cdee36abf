# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""Each header says `#pragma once`; those of the ABI, which are plain C, have a guard that is called as their path."""
import sys
from pathlib import Path

from tree import source_files, text_of

PRECOMPILED = Path("cmake/compiler_pch.h")  # read once for each source, by the compiler alone


def problem(path, text):
    """What is wrong with how a header is kept from being read twice, or nothing."""
    if path.parts[:2] != ("runtime", "abi"):
        return "" if "\n#pragma once\n" in text else "must say #pragma once"
    guard = "STRETTO_" + str(path).upper().translate(str.maketrans("/.", "__"))
    return "" if f"\n#ifndef {guard}\n#define {guard}\n" in text else f"must have the guard {guard}"


def main(root):
    headers = [path for path in source_files(root) if path.suffix == ".h" and path != PRECOMPILED]
    failures = [f"{path}: {wrong}" for path in headers if (wrong := problem(path, text_of(root, path)))]
    print("\n".join(failures) or f"{len(headers)} headers are read once")
    return bool(failures)


def self_test():
    assert not problem(Path("ir/A.h"), "// A.\n#pragma once\n")
    assert problem(Path("ir/A.h"), "// A.\n#ifndef STRETTO_IR_A_H\n#define STRETTO_IR_A_H\n#endif\n")
    assert not problem(Path("runtime/abi/a.h"), "/* A. */\n#ifndef STRETTO_RUNTIME_ABI_A_H\n#define STRETTO_RUNTIME_ABI_A_H\n")
    assert problem(Path("runtime/abi/a.h"), "/* A. */\n#ifndef STRETTO_ABI_A_H\n#define STRETTO_ABI_A_H\n")
    return False


sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1])))
