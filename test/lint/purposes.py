# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""Each source, header and record file opens with a line that says what it is for."""
import re
import sys
from pathlib import Path

from tree import source_files, text_of

# `//===- Name.cpp - purpose ---===//` in the compiler, `// Purpose` elsewhere, `/* Purpose` in plain C.
COMPILER = re.compile(r"//===- [\w.-]+ - \S.*===//$")
PLAIN = re.compile(r"(//|/\*) \S")


def problem(name, first):
    """What is wrong with the first line of a source, or nothing."""
    if first.startswith("//===-"):
        if not COMPILER.match(first):
            return "must say its purpose behind its name"
        return "" if first.split()[1] == name else f"must begin with its name, {name}"
    return "" if PLAIN.match(first) else "must open with a comment that says its purpose"


def main(root):
    failures = []
    for path in source_files(root):
        if path.suffix in (".cpp", ".h", ".td"):
            if wrong := problem(path.name, text_of(root, path).split("\n", 1)[0]):
                failures.append(f"{path}: the first line {wrong}")
    print("\n".join(failures) or "every source says what it is for")
    return bool(failures)


def self_test():
    assert not problem("Views.cpp", "//===- Views.cpp - values that are parts of other values ---===//")
    assert not problem("files.cpp", "// Durable writing.")
    assert problem("Views.cpp", "//===- Views.cpp ---------===//")
    assert problem("Views.cpp", "//===- Sites.cpp - what calls write ---===//")
    assert not problem("abi.h", "/* The contract between programs and the runtime.")
    assert problem("files.cpp", '#include "files.h"')
    assert problem("files.h", "#pragma once")
    print("found what was planted")


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1])))
