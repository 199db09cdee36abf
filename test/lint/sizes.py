# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""Files stay small: 600 lines for sources, 150 for a textual test."""
import sys
from pathlib import Path

from tree import source_files, text_of

SOURCES = {".h", ".hpp", ".c", ".cpp", ".td", ".py", ".stretto", ".mlir", ".cmake"}
TESTS = {".mlir", ".test", ".stretto"}


def limit(path):
    """How many lines a file may have; None where that does not matter."""
    if path.parts[0] == "test" and path.suffix in TESTS:
        return 150
    if path.suffix in SOURCES or path.name in ("setup", "CMakeLists.txt"):
        return 600
    return None


def main(root):
    failures = []
    for path in source_files(root):
        allowed = limit(path)
        if allowed and (lines := text_of(root, path).count("\n")) > allowed:
            failures.append(f"{path}: at most {allowed} lines, but got {lines}")
    print("\n".join(failures) or "no file is too long")
    return bool(failures)


def self_test():
    assert limit(Path("test/ir/a.mlir")) == 150
    assert limit(Path("passes/A.cpp")) == 600
    assert limit(Path("docs/language.md")) is None
    return False


sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1])))
