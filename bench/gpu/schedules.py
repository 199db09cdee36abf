#!/usr/bin/env python3
"""Times a site under the schedules that make_schedules.py has compiled: microseconds of one pass, the fastest first.

    bench/gpu/schedules.py [--from build/gpu] [--schedules build/gpu/schedules.tar.xz] [--budget 60] [--out FOLDER]

Needs the folder that test/gpu/prepare made, and Python with torch 2.11. Each schedule runs alone, in a graph, some windows one after the
other, of which the least counts: a search among hundreds in half a minute, and no comparison in turns. Writes
<date>-<gpu>-schedules-<site>-<way>.json and prints the fastest.
"""
import argparse
import datetime
import json
import os
import tarfile
import tempfile
import time

import torch
from setting import ROOT, results_folder, slug, write

import abi
from launches import site_launches
from site_kernels import Kernels
from site_sides import device_for, load_emulator, load_shim
from timing import least_seconds

SHOWN = 12


def run_of(model, listed, shim, emulator):
    """What passes the site once for each of its layers, and how often that is."""
    way = listed["way"]
    kernels = Kernels(model, {way: site_launches(model, shim, listed["site"])[way]}, device_for(emulator), 1, listed["layers"])
    return lambda: kernels.run(way), kernels.calls


def works(emulator):
    """Whether the GPU can go on: a fault of a kernel spoils it for the process."""
    try:
        if not emulator:
            torch.cuda.empty_cache()
        return True
    except RuntimeError:
        return False


def time_all(listed, folder, shim, emulator, end):
    """The entries of the list that there is time for, with their microseconds or a problem; up to one that spoils the GPU."""
    for entry in listed["schedules"]:
        if time.monotonic() > end:
            return
        try:
            run, calls = run_of(abi.Model(f"{folder}/{entry['file']}"), listed, shim, emulator)
            yield entry | {"us": 1e6 * least_seconds(run) / calls}
        except RuntimeError as problem:
            yield entry | {"problem": str(problem)[:300]}
        if not works(emulator):
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", default=f"{ROOT}/build/gpu")
    parser.add_argument("--schedules", default=f"{ROOT}/build/gpu/schedules.tar.xz")
    parser.add_argument("--budget", type=float, default=60, help="seconds for everything")
    parser.add_argument("--out", default=results_folder())
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.budget
    shim, emulator = load_shim(arguments.folder), load_emulator(arguments.folder)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(arguments.schedules) as archive:
            archive.extractall(folder)
        with open(f"{folder}/list.json", encoding="utf-8") as file:
            listed = json.load(file)
        found = list(time_all(listed, folder, shim, emulator, end))
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    path = f"{arguments.out}/{datetime.date.today().isoformat()}-{slug(gpu)}-schedules-{listed['name']}-{listed['way']}.json"
    write(path, listed | {"gpu": gpu, "schedules": found})
    timed = sorted((entry for entry in found if "us" in entry), key=lambda entry: entry["us"])
    for entry in timed[:SHOWN]:
        print(f"{entry['us']:9.1f} us  {entry['schedule'] or 'as the compiler chooses'}{', spills' if entry['spills'] else ''}")
    for entry in found:
        if "problem" in entry:
            print(f"{entry['schedule'] or 'as the compiler chooses'}: {entry['problem']}")
    print(f"{len(timed)} of {len(listed['schedules'])} timed; written: {os.path.abspath(path)}")


if __name__ == "__main__":
    main()
