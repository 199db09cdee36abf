# RUN: %python3 %s %root
# RUN: %python3 %s --self-test
"""C++ has the layout of .clang-format: clang-format-22 -i FILE makes it so. Lines of TableGen have at most 120 columns."""
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import source_files, text_of

TOOL = "clang-format-22"
AT_ONCE = 40  # files in a call
COLUMNS = 120


def complaints(root, paths):
    """What the tool would change, in its words."""
    command = [TOOL, "--dry-run", "--Werror", "--ferror-limit=1", *map(str, paths)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def long_lines(text):
    """Numbers of lines that are too long. In examples each operation stands on a line, as tools print it."""
    is_example = False
    for number, line in enumerate(text.splitlines(), 1):
        is_example ^= line.lstrip().startswith("```")
        if len(line) > COLUMNS and not is_example:
            yield number


def check_tablegen(root):
    return "".join(f"{path}:{number}: a line must have at most {COLUMNS} columns\n"
                   for path in source_files(root) if path.suffix == ".td" for number in long_lines(text_of(root, path)))


def main(root):
    if not shutil.which(TOOL):
        sys.exit(f"{TOOL} must be there: ./setup test installs it")
    paths = [path for path in source_files(root) if path.suffix in (".h", ".cpp")]
    batches = [paths[i : i + AT_ONCE] for i in range(0, len(paths), AT_ONCE)]
    with ThreadPoolExecutor(2) as pool:
        found = "".join(pool.map(lambda batch: complaints(root, batch), batches)) + check_tablegen(root)
    print(found or f"{len(paths)} files have the layout of .clang-format")
    return bool(found)


def self_test():
    long = "x" * (COLUMNS + 1)
    assert list(long_lines(f"{long[1:]}\n{long}\n    ```mlir\n{long}\n    ```\n{long}\n")) == [2, 6]
    print("found what was planted")


sys.exit(self_test() if sys.argv[1] == "--self-test" else main(Path(sys.argv[1])))
