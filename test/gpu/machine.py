"""Where things are on the machine the checks run on. Imports nothing but Python."""
import glob
import importlib.util
import json
import os


def torch_folder():
    """The folder of the torch package, found without importing it."""
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("this Python has no torch; start the checks with one that has torch 2.11")
    return os.path.realpath(list(spec.submodule_search_locations)[0])


def library_folders(folder):
    """Where a program of a prepared folder finds its libraries: ours, torch's, and NVIDIA's wheels beside torch."""
    torch = torch_folder()
    wheels = sorted(glob.glob(f"{os.path.dirname(torch)}/nvidia/*/lib"))
    return [f"{folder}/lib", f"{torch}/lib", *wheels]


def environment(folder):
    """The environment for programs of a prepared folder."""
    given = os.environ.get("LD_LIBRARY_PATH")
    paths = library_folders(folder) + ([given] if given else [])
    return os.environ | {"LD_LIBRARY_PATH": ":".join(paths), "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def facts_of(folder, part, reader="benches"):
    """What facts.json says of a prepared folder, which must have this part of it; `reader`, the checks or the benches, wants it."""
    try:
        with open(f"{folder}/facts.json", encoding="utf-8") as file:
            facts = json.load(file)
    except FileNotFoundError:
        raise SystemExit(f"'{folder}' must be a folder that test/gpu/prepare made, but has no facts.json") from None
    if not facts.get(part):
        other = "checks" if reader == "benches" else "benches"
        raise SystemExit(f"'{folder}' must have what the {reader} need, but test/gpu/prepare made it with --only {other}")
    return facts


def make_executable(folder):
    """Whoever carried the folder may have lost who may execute its programs."""
    for name in os.listdir(f"{folder}/programs"):
        os.chmod(f"{folder}/programs/{name}", 0o755)
