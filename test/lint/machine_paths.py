# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""No file of the tree names a place of the machine it was written on."""
import re
import sys
from pathlib import Path

from tree import BINARY, source_files, text_of

# A folder of somebody, with something in it. A placeholder in angle brackets or a variable is no such place.
PLACE = re.compile(r"(?<![\w.%}])/(?:home|Users|work|root|mnt|scratch)/[\w.-]+")


def places(text, root=None):
    """(line, place) of each mention."""
    found = [(text.count("\n", 0, m.start()) + 1, m[0]) for m in PLACE.finditer(text)]
    if root and (at := text.find(str(root) + "/")) >= 0:
        found.append((text.count("\n", 0, at) + 1, str(root)))
    return found


def main(root):
    failures = []
    for path in source_files(root):
        if path.suffix in BINARY or path == Path("test/lint/machine_paths.py"):
            continue
        failures += [f"{path}:{line}: a path of one machine ({place})"
                     for line, place in places(text_of(root, path), root)]
    print("\n".join(failures) or "no file names a place of this machine")
    return bool(failures)


def self_test():
    assert places("x\nsee /home/someone/x") == [(2, "/home/someone")]
    assert places("/work/main") and not places("network/work/main")
    assert places("a /opt/here/b", Path("/opt/here"))
    assert not places("/usr/lib/llvm-22/bin ${TMPDIR:-/tmp}/x %root/models ~/.cache/stretto")
    return False


sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1]).resolve()))
