# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""Names follow one case rule: folders are in lower case; C++ sources are UpperCamel in the compiler's half (as LLVM's are)
and snake_case in the runtime's."""
import re
import sys
from pathlib import Path

from tree import source_files

COMPILER = ("ir", "frontend", "passes", "codegen", "tools/stretto-")
RUNTIME = ("runtime", "tasks", "tools", "bench/tasks")
CAMEL = re.compile(r"[A-Z][A-Za-z0-9]*|main")
SNAKE = re.compile(r"[a-z][a-z0-9_]*")


def problem(path):
    """What is wrong with the name of a file or of a folder on the way to it, or nothing."""
    for folder in path.parts[:-1]:
        if folder != folder.lower() and folder != "Inputs":  # as lit calls them
            return f"folder '{folder}' must be in lower case"
    if path.suffix not in (".h", ".cpp", ".td"):
        return ""
    half = next((half for half in (COMPILER, RUNTIME) if str(path).startswith(half)), None)
    if half is COMPILER and not CAMEL.fullmatch(path.stem):
        return "must be UpperCamel, as sources of the compiler are"
    if half is RUNTIME and not SNAKE.fullmatch(path.stem):
        return "must be snake_case, as sources of the runtime are"
    return ""


def main(root):
    failures = [f"{path}: {reason}" for path in source_files(root) if (reason := problem(path))]
    print("\n".join(failures) or "names follow the rule")
    return bool(failures)


def self_test():
    assert not problem(Path("passes/fusion/FormGroups.cpp"))
    assert problem(Path("passes/Fusion/FormGroups.cpp"))
    assert problem(Path("passes/fusion/form_groups.cpp"))
    assert not problem(Path("tools/stretto-opt/main.cpp"))
    assert problem(Path("tools/stretto-opt/helper.cpp"))
    assert not problem(Path("runtime/train/toml.h"))
    assert problem(Path("runtime/train/Toml.h"))
    assert not problem(Path("README.md"))
    return False


sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1])))
