#!/usr/bin/env python3
"""Compiles sites of sites.stretto with many schedules, for schedules.py on a machine with a GPU.

    bench/gpu/make_schedules.py KERNEL:FIELD=N|N...,FIELD=N|N... ... --site SITE --way forward|backward [--build build]
                                [--out build/gpu/schedules.tar.xz] [--emulate]

SITE: a name of test/gpu/programs.py, such as norm-canon or rotary-canon, or fused-gate and fused-rotary, where it lies in matmuls. Each
argument gives a kernel all combinations of some numbers (as --kernel-schedule of the compiler); what the compiler refuses is left out, and
what it chooses by itself comes first. The archive is small, as all files of it are nearly alike.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor

from setting import ROOT

import programs


def sites(small):
    return programs.sites(small) | {f"fused-{name}": made for name, made in programs.fused(small).items()}


def combinations(text):
    """The schedules that an argument stands for, as the compiler takes them."""
    kernel, separator, fields = text.partition(":")
    given = [field.partition("=") for field in fields.split(",")]
    if not separator or not all(name and numbers for name, _, numbers in given):
        raise SystemExit(f"'{text}' must be KERNEL:FIELD=N|N,..., such as sites.backward.rowwise0:rows=4|8,lanes=2|4")
    names, numbers = [name for name, _, _ in given], [numbers.split("|") for _, _, numbers in given]
    for chosen in itertools.product(*numbers):
        yield f"{kernel}:" + ",".join(f"{name}={number}" for name, number in zip(names, chosen))


class Maker:
    def __init__(self, build, made, emulate, folder):
        self.command = [f"{build}/bin/stretto-compile", *made.options(ROOT, emulate)]
        self.folder = folder

    def make(self, numbered):
        """The entry of a schedule in the list, or None where the compiler refuses it."""
        number, schedule = numbered
        path = f"{self.folder}/{number}"
        given = ["--kernel-schedule", schedule] if schedule else []
        told = subprocess.run([*self.command, *given, "--emit=object", "-o", f"{path}.o"], capture_output=True, text=True)
        if told.returncode:
            return None
        subprocess.run(["cc", "-shared", f"{path}.o", "-o", f"{path}.so"], check=True)
        subprocess.run(["strip", "--strip-unneeded", f"{path}.so"], check=True)
        os.remove(f"{path}.o")
        return {"file": f"{number}.so", "schedule": schedule, "spills": "spills" in told.stderr}


def pack(folder, facts, path):
    """All files of a folder, those that are alike side by side."""
    with open(f"{folder}/list.json", "w", encoding="utf-8") as file:
        json.dump(facts, file, indent=1)
    with tarfile.open(path, "w:xz", preset=6) as archive:
        for name in ["list.json", *(each["file"] for each in facts["schedules"])]:
            archive.add(f"{folder}/{name}", name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedules", nargs="+", metavar="KERNEL:FIELD=N|N,...")
    parser.add_argument("--site", required=True)
    parser.add_argument("--way", choices=("forward", "backward"), required=True)
    parser.add_argument("--build", default=f"{ROOT}/build")
    parser.add_argument("--out", default=f"{ROOT}/build/gpu/schedules.tar.xz")
    parser.add_argument("--emulate", action="store_true")
    arguments = parser.parse_args()
    known = sites(arguments.emulate)
    if arguments.site not in known:
        raise SystemExit(f"--site must be one of {', '.join(known)}, but is '{arguments.site}'")
    made = known[arguments.site]
    wanted = [None, *itertools.chain.from_iterable(map(combinations, arguments.schedules))]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as workers:
        maker = Maker(arguments.build, made, arguments.emulate, folder)
        found = [entry for entry in workers.map(maker.make, enumerate(wanted)) if entry]
        if len(found) < 2:
            raise SystemExit("the compiler refuses all of these schedules; --kernel-schedule says why")
        pack(folder, {"site": made.settings["site"], "layers": made.settings["layers"], "way": arguments.way, "emulated": arguments.emulate,
                      "name": arguments.site, "schedules": found}, arguments.out)  # fmt: skip
    print(f"{arguments.out}: {len(found)} of {len(wanted)} schedules, {os.path.getsize(arguments.out) / 1e6:.1f} MB")


if __name__ == "__main__":
    sys.exit(main())
