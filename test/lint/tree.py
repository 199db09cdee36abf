"""What the checks of this folder share: the files of the source tree."""
import subprocess
from pathlib import Path

BINARY = {".png", ".svg", ".safetensors", ".npz"}


def source_files(root):
    """All files that belong to the tree, tracked or new, without those that git ignores; sorted paths relative to
    the root. Of a tree that is no checkout: all but build folders and hidden ones."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"],
            check=True, capture_output=True, text=True).stdout.splitlines()
        paths = [Path(name) for name in listed]
    else:
        paths = [file.relative_to(root) for file in root.rglob("*")]
        paths = [path for path in paths
                 if not any(part.startswith((".", "build", "runs")) for part in path.parts[:-1])]
    return sorted(path for path in set(paths) if (root / path).is_file() and not (root / path).is_symlink())


def text_of(root, path):
    return (root / path).read_text(encoding="utf-8")
