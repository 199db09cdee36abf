# RUN: %python3 %s %root
"""C++ has the layout of .clang-format: clang-format-22 -i FILE makes it so."""
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tree import source_files

TOOL = "clang-format-22"
AT_ONCE = 40  # files in a call


def complaints(root, paths):
    """What the tool would change, in its words."""
    command = [TOOL, "--dry-run", "--Werror", "--ferror-limit=1", *map(str, paths)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main(root):
    if not shutil.which(TOOL):
        sys.exit(f"{TOOL} must be there: ./setup test installs it")
    paths = [path for path in source_files(root) if path.suffix in (".h", ".cpp")]
    batches = [paths[i : i + AT_ONCE] for i in range(0, len(paths), AT_ONCE)]
    with ThreadPoolExecutor(2) as pool:
        found = "".join(pool.map(lambda batch: complaints(root, batch), batches))
    print(found or f"{len(paths)} files have the layout of .clang-format")
    return bool(found)


sys.exit(main(Path(sys.argv[1])))
