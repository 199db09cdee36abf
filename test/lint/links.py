# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""Links between pages lead to files that there are, and to headings of them."""
import re
import sys
from pathlib import Path

from tree import source_files, text_of

FENCE = re.compile(r"^```.*?^```", re.M | re.S)
LINK = re.compile(r"\]\((?!\w+:)([^)#]*)(?:#([^)]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)


def prose(text):
    """A page with its fenced blocks blank, on the same lines."""
    return FENCE.sub(lambda match: "\n" * match[0].count("\n"), text)


def links(text):
    """(line, path or nothing, heading or None) of each link to a page."""
    text = prose(text)
    return [(text.count("\n", 0, match.start()) + 1, match[1], match[2]) for match in LINK.finditer(text)]


def anchors(text):
    """What GitHub calls the headings of a page."""
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(prose(text))}


def main(root):
    pages, failures = [path for path in source_files(root) if path.suffix == ".md"], []
    for page in pages:
        for line, path, heading in links(text_of(root, page)):
            target = (root / page.parent / path) if path else root / page
            if not target.exists():
                failures.append(f"{page}:{line}: there is no {path}")
            elif heading and heading not in anchors(target.read_text(encoding="utf-8")):
                failures.append(f"{page}:{line}: {path or page} has no heading #{heading}")
    print("\n".join(failures) or f"the links of {len(pages)} pages lead somewhere")
    return bool(failures)


def self_test():
    assert links("a [b](c.md#d-e)\n[f](#g) [h](https://i.k)") == [(1, "c.md", "d-e"), (2, "", "g")]
    assert not links("```text\n[a](b.md)\n```\n")
    assert anchors("# `seq.tap` by -1\n\n## Words of `codegen`\n") == {"seqtap-by--1", "words-of-codegen"}
    return False


sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1])))
