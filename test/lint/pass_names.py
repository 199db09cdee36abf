# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""Passes that the pages name are passes that there are."""
import re
import sys
from pathlib import Path

from tree import source_files, text_of

RECORD = re.compile(r'\bPass<"([\w-]+)"')
# A word of its own: part of no path, no longer name and no address.
MENTION = re.compile(r"(?<![\w./#-])(?:--)?((?:kern|seq)-[a-z0-9-]*[a-z0-9])(?![\w/])")


def mentions(text):
    """(line, name) of each pass that a text names."""
    return [(text.count("\n", 0, m.start()) + 1, m[1]) for m in MENTION.finditer(text)]


def main(root):
    files = source_files(root)
    known = {name for path in files if path.name == "Passes.td" for name in RECORD.findall(text_of(root, path))}
    assert "seq-decompose" in known and "kern-plan-memory" in known, "no passes found"
    pages = [path for path in files if path.match("docs/*.md") or path == Path("README.md")]
    failures = [f"{path}:{line}: there is no pass '{name}'"
                for path in pages for line, name in mentions(text_of(root, path)) if name not in known]
    print("\n".join(failures) or f"{len(pages)} pages name none but the {len(known)} passes that there are")
    return bool(failures)


def self_test():
    assert mentions("a\n`kern-fuse-sums` `stretto-opt --seq-decompose=x`") == [(2, "kern-fuse-sums"), (2, "seq-decompose")]
    assert not mentions("`seq.tap` `test/seq-x.mlir` `my-seq-tool`")
    return False


sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1])))
