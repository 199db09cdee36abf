"""compute-sanitizer: how it is asked, and what it says at its end."""
import os
import re
import shutil

from checks import Skipped, expect

SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)")
FOUND = 9  # its exit status where it found something
# The memory of libraries is their own affair, and so is what they ask the driver for though they may not have it. Whether memory
# was written before it is read can only be told where all kernels are watched.
OPTIONS = {"memcheck": ["--report-api-errors", "no"], "initcheck": ["--show-backtrace", "no"], "synccheck": [], "racecheck": []}


def filters(kernels):
    """Options that leave the kernels of libraries out: a kernel is watched whose name holds one of some texts."""
    shortest = [name for name in kernels if not any(name != other and other in name for other in kernels)]
    return [word for name in shortest for word in ("--kernel-name", f"kernel_substring={name}")]


def command(tool, kernels):
    """What to put in front of a command. `kernels`: the names of ours."""
    path = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not os.path.exists(path):
        raise Skipped("compute-sanitizer is not here")
    expect(kernels, "the folder was prepared without an assembler, and does not say what our kernels are called")
    limit = 0 if tool == "initcheck" else 20  # all, as ours may come behind those of libraries
    own = filters(kernels) if tool in ("synccheck", "racecheck") else []
    return [path, "--tool", tool, *OPTIONS[tool], *own, "--error-exitcode", FOUND, "--print-limit", limit]


def culprits(text, kernels):
    """Those of our kernels that are named as the place of a fault."""
    return sorted(set(re.findall(r"^=+ +at (\w+)", text, re.M)) & set(kernels))


def inability(text):
    """Why it could not watch the program, or None. On an H200 racecheck of CUDA 13.0 failed so in the first kernel, whichever it watched, where
    memcheck, initcheck and synccheck found nothing."""
    lines = [line.strip("= ") for line in text.splitlines() if "Device not supported" in line or "Internal Sanitizer Error" in line]
    return lines[0] if lines else None


def verdict(tool, status, text, kernels):
    """Its last summary. Fails unless there is one, each counts nothing, and the exit status is 0; initcheck may find
    something in the kernels of libraries."""
    found = [(int(match[1]), line) for line in text.splitlines() if (match := SUMMARY.search(line))]
    expect(found, text[-2500:])
    summary = found[-1][1].strip("= ")
    if tool == "initcheck" and status == FOUND and any(count for count, _ in found):
        ours = culprits(text, kernels)
        expect(not ours, f"memory that nobody wrote is read by {', '.join(ours)}: {text[-2000:]}")
        return f"{summary}, none in our kernels"
    expect(status == 0 and all(count == 0 for count, _ in found), f"exit status {status}: {text[-2500:]}")
    return summary
