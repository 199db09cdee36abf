# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""A class of a namespace has one definition: two of one name are one to the linker, which takes the members of either."""
import re
import sys
from collections import defaultdict
from pathlib import Path

from tree import source_files

OPENS = re.compile(r"namespace(?: ([\w:]+))? \{$")
CLOSES = re.compile(r"\} // namespace")
DEFINES = re.compile(r"(?:template <.*> ?)?(?:class|struct) (?:alignas\(\w+\) |\[\[.*?\]\] )?(\w+)(?: final)?(?: : [^{]*)? \{")


def classes(text):
    """The classes that a source defines in namespaces with names, each with its line."""
    within, lines = [], text.splitlines()
    for number, line in enumerate(lines, 1):
        if opened := OPENS.match(line):
            if lines[number + 1 : number + 2] != ["}"]:  # of one line, which closes without its name
                within.append(opened[1] or "")
        elif CLOSES.match(line) and within:
            within.pop()
        elif (defined := DEFINES.match(line)) and "" not in within:
            yield "::".join([*within, defined[1]]), number


def failures_of(sources):
    """What is defined twice, of pairs of a path and a text."""
    places = defaultdict(list)
    for path, text in sources:
        for name, line in classes(text):
            places[name].append(f"{path}:{line}")
    return [f"{at[1]}: '{name}' has a definition at {at[0]}, too" for name, at in places.items() if len(at) > 1]


def main(root):
    paths = [path for path in source_files(root) if path.suffix in (".h", ".cpp") and path.parts[0] not in ("test", "bench")]
    failures = failures_of((path, (root / path).read_text(encoding="utf-8")) for path in paths)
    print("\n".join(failures) or f"no class of {len(paths)} files is defined twice")
    return bool(failures)


def self_test():
    one = "namespace a::b {\nstruct X {\n};\n} // namespace a::b\n"
    assert failures_of([("x.h", one), ("y.h", one)]) == ["y.h:2: 'a::b::X' has a definition at x.h:2, too"]
    assert not failures_of([("x.h", one), ("y.h", one.replace("a::b", "a::c"))])
    declared = "namespace c {\nclass Y;\n}\n"
    assert failures_of([("x.h", declared + one), ("y.h", one.replace("X {", "alignas(64) X {"))]) == ["y.h:2: 'a::b::X' has a definition at x.h:5, too"]
    assert not failures_of([("x.h", one), ("y.cpp", one.replace("namespace a::b {", "namespace a::b {\nnamespace {"))])
    return False


sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1])))
