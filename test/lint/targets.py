# RUN: %python3 %s %root
"""Targets are known by name where they are made, in codegen/ and runtime/device/, and nowhere else: a further one is added
there alone (docs/extending.md)."""
import re
import sys
from pathlib import Path

from tree import source_files, text_of

MADE_IN = ("codegen/", "runtime/device/")
SOURCES = ("frontend/", "ir/", "passes/", "codegen/", "runtime/", "tasks/", "tools/")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def named_targets(text, targets):
    """Targets that are written as a string, comments aside."""
    code = COMMENT.sub("", text)
    return [target for target in targets if re.search(rf'"{target}(-emulated)?"', code)]


def main(root):
    paths = [path for path in source_files(root) if path.suffix in (".cpp", ".h", ".td") and str(path).startswith(SOURCES)]
    known = [match for path in paths if path.match("codegen/*/Backend.cpp")
             for match in re.findall(r'name\(\) const override \{ return "(\w+)"', text_of(root, path))]
    assert {"cpu", "cuda"} <= set(known), f"no backends found: {known}"
    failures = [f"{path} knows the target '{target}' by name"
                for path in paths if not str(path).startswith(MADE_IN)
                for target in named_targets(text_of(root, path), known)]
    print("\n".join(failures) or f"{len(paths)} files leave {', '.join(known)} to their folders")
    return bool(failures)


assert named_targets('if (target == "cuda") // as "cpu"', ["cpu", "cuda"]) == ["cuda"]
assert named_targets('x = "cuda-emulated"; y = "--cpu";', ["cpu", "cuda"]) == ["cuda"]
sys.exit(main(Path(sys.argv[1])))
