"""What the checks of this folder share: the files of the source tree."""
import shutil
import subprocess
from pathlib import Path

BINARY = {".png", ".svg", ".safetensors", ".npz"}


def known_to_git(root):
    """What git lists, tracked or new, without what it ignores; None where there is no git, or no checkout."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    if not (root / ".git").exists() or not shutil.which("git"):
        return None
    listed = subprocess.run(command, capture_output=True, text=True)
    return None if listed.returncode else [Path(name) for name in listed.stdout.splitlines()]


def found(root):
    """All files outside of build folders, runs, caches and hidden folders."""
    paths = [file.relative_to(root) for file in root.rglob("*")]
    return [path for path in paths if not path.parts[0].startswith(("build", "runs"))
            and not any(part.startswith((".", "__pycache__")) for part in path.parts[:-1])]


def source_files(root):
    """All files that belong to the tree; sorted paths relative to the root."""
    paths = known_to_git(root)
    paths = found(root) if paths is None else paths
    return sorted(path for path in set(paths) if (root / path).is_file() and not (root / path).is_symlink())


def text_of(root, path):
    return (root / path).read_text(encoding="utf-8")
