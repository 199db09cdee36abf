"""Every kernel of a model against its emulation, launch by launch.

    kernels.py FOLDER NAME cuda|emulated REPORT.json [--damage]

A whole step, an accumulation and an evaluation run on the host with the emulated kernels and plain library calls. Before
each launch the device gets a copy of all arenas, runs the same kernel, and is compared: every result within a tolerance,
every other byte exactly, so that stray writes show. The device launches twice and must give the same bits.
`emulated` stands in for a GPU: the emulator with another order of warps. --damage spoils one number of each kernel's
first launch on the device, which must be found.
"""
import ctypes
import json
import os
import sys
from dataclasses import dataclass

import numpy as np
import torch

import abi
from arenas import Arenas, Library
from devices import CudaDevice, EmulatedDevice, Emulator

ENTRIES = ["round_parameters", "gradients", "accumulate", "gradients", "accumulate", "take_accumulated", "squares", "norm", "apply",
           "evaluate"]  # fmt: skip


@dataclass(frozen=True)
class Tolerance:
    """Of a result's errors: of all its numbers together, by their norm; of a single one, by its size and by the root of the mean square."""

    norm: float
    relative: float
    floor: float


# Approximate functions of the hardware are off by 1e-7 and more; one rounding of bf16 may fall the other way.
ROWWISE = {abi.F32: Tolerance(2e-5, 1e-4, 1e-3), abi.BF16: Tolerance(1e-3, 2**-7, 2e-2)}
# Tensor cores add up in an order of their own, so that the rounded matmul which an epilogue reads may be one rounding off as well. On an
# H200 sums of columns of an epilogue were 5e-5 of their norm off, and one number of 2.4 million by two roundings.
MATMUL = {abi.F32: Tolerance(2e-4, 1e-3, 1e-2), abi.BF16: Tolerance(1e-3, 2**-6, 4e-2)}


def numbers(raw, dtype):
    if dtype == abi.BF16:
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return raw.view(np.float64 if dtype == abi.F64 else np.float32)


def problem_of(found, expected, dtype, tolerance):
    """What is wrong with a result, or None; found and expected are bytes."""
    a, b = numbers(found, dtype).astype(np.float64), numbers(expected, dtype).astype(np.float64)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return f"{np.sum(~np.isfinite(a))} numbers are not finite, instead of {np.sum(~np.isfinite(b))}"
    a, b = np.nan_to_num(a, posinf=1, neginf=-1), np.nan_to_num(b, posinf=1, neginf=-1)
    size, off = np.sqrt(np.mean(b * b)), np.abs(a - b)
    norm = np.sqrt(np.mean(off * off)) / size if size else float(np.any(off))
    over = off - tolerance.relative * np.abs(b) - tolerance.floor * size
    if norm <= tolerance.norm and np.all(over <= 0):
        return None
    worst = int(np.argmax(over))
    return f"error {norm:.1e} of the norm; element {worst} is {a[worst]:.7g} instead of {b[worst]:.7g}"


class Check:
    def __init__(self, model, device, emulator, damage):
        self.arenas, self.model, self.device, self.emulator, self.damage = Arenas(model), model, device, emulator, damage
        self.library, self.results, self.failure = Library(self.arenas), [], None
        self.before = [np.empty_like(each) for each in self.arenas.bytes]
        self.report = {name: {"launches": 0, "problems": []} for name in model.kernels}

    def calls(self):
        """The functions the model calls; a failure in one is kept, as it cannot pass through C."""
        def kept(function):
            def run(*arguments):
                try:
                    if self.failure is None:
                        function(*arguments)
                except Exception as error:
                    self.failure = error
            return run

        library = self.library
        functions = {"at": lambda site: self.at(site[0]),
                     "launch": lambda kernel, buffers: self.launch(kernel[0], buffers),
                     "zero": lambda buffer, count: library.zero(buffer[0], count)}  # fmt: skip
        for name in ("matmul", "attention", "attention_grad", "copy", "library"):
            functions[name] = lambda arguments, function=getattr(library, name): function(arguments[0])
        return abi.Calls(**{name: kind(kept(functions[name])) for name, kind in abi.Calls._fields_})

    def at(self, site):
        self.results = abi.array(abi.Result, site.results, site.count)

    def launch(self, kernel, buffers):
        name = kernel.name.decode()
        places = [self.arenas.place(buffers[i]) for i in range(kernel.buffers)]
        host, before, entry = self.arenas.bytes, self.before, self.report[name]
        for old, now in zip(before, host):
            np.copyto(old, now)
        found, same = self.device.run(name, before, places)
        self.emulator.launch(kernel, [host[arena].ctypes.data + start for arena, start in places])
        entry["launches"] += 1
        results = [each for each in self.results if each.buffer < len(places)]
        if self.damage and entry["launches"] == 1:
            self.spoil(before, found)
        problems = self.compare(results, places, before, found, MATMUL if self.device.kernels[name].map_count else ROWWISE)
        if not same:
            problems.append("two launches gave different bits")
        entry["problems"] += problems[: 4 - len(entry["problems"])]
        self.results = []

    def spoil(self, before, found):
        """Changes one byte that the kernel wrote, the highest of a number."""
        for arena, old in enumerate(before):
            written = np.flatnonzero(old != self.arenas.bytes[arena])
            if len(written):
                found[arena] = found[arena].copy()
                found[arena][written[len(written) // 2] | 3] ^= 0x55
                return

    def compare(self, results, places, before, found, tolerances):
        problems, covered = [], {}
        for result in results:
            if result.dtype == abi.I32 or result.rows <= 0:
                continue
            arena, start = places[result.buffer]
            index = start + result.stride * np.arange(result.rows)[:, None] + np.arange(result.row_bytes)
            covered.setdefault(arena, np.zeros(found[arena].size, bool))[index] = True
            problem = problem_of(found[arena][index].ravel(), self.arenas.bytes[arena][index].ravel(), result.dtype,
                                 tolerances[result.dtype])
            if problem:
                problems.append(f"result {result.buffer} ({result.operation.decode() or 'no name'}, "
                                f"{result.location.decode()}): {problem}")
        for arena, got in enumerate(found):
            expected = self.arenas.bytes[arena]
            if np.array_equal(got.view(np.uint64), expected.view(np.uint64)):
                continue
            differs = np.flatnonzero(got != expected)
            if arena in covered:
                differs = differs[~covered[arena][differs]]
            if len(differs):
                problems += self.other(arena, differs, before[arena], got, expected)
        return problems

    def other(self, arena, differs, before, got, expected):
        """Bytes outside of named results: partial sums and other numbers the kernel writes may be off by rounding, indices
        and whatever it does not write may not."""
        words = np.unique(differs // 4)
        old, new, mine = (each.view(np.uint32)[words] for each in (before, expected, got))
        if np.any(old == new):
            at = int(words[np.flatnonzero(old == new)[0]]) * 4
            return [f"arena {arena}, byte {at}: written, though the emulated kernel does not write there"]
        a, b = mine.view(np.float32).astype(np.float64), new.view(np.float32).astype(np.float64)
        close = (np.abs(a - b) <= 1e-3 * np.abs(b) + 1e-6) & (np.abs(b) > 1e-30)
        if np.all(close):
            return []
        worst = int(np.flatnonzero(~close)[0])
        return [f"arena {arena}, byte {int(words[worst]) * 4}: {a[worst]:.7g} instead of {b[worst]:.7g}"]

    def run(self):
        for entry in ENTRIES:
            self.model.call(entry)
            if self.failure:
                raise RuntimeError(f"in {entry}: {self.failure}") from self.failure
        for entry in self.report.values():
            if not entry["launches"]:
                entry["problems"].append("was never launched")
            if self.damage:
                entry["problems"] = [] if entry["problems"] else ["a spoiled number was not found"]


def libraries(folder):
    """What hands the calls of a model on, and the emulator; emulated kernels find their functions from then on."""
    shim = ctypes.CDLL(f"{folder}/kernels/libshim.so", ctypes.RTLD_GLOBAL)
    emulator = ctypes.CDLL(f"{folder}/lib/libstretto_emulator.so", ctypes.RTLD_GLOBAL)
    ctypes.CDLL("libm.so.6", ctypes.RTLD_GLOBAL)
    return shim, Emulator(emulator)


def compare(name, model, device, shim, emulator, report, *options):
    """Prints which kernels of an emulated model do not agree with those that a device has loaded; returns whether there are any."""
    if missing := set(model.kernels) ^ set(device.kernels):
        raise RuntimeError(f"the two programs have different kernels: {sorted(missing)}")
    check = Check(model, device, emulator, "--damage" in options)
    calls = check.calls()
    shim.shim_register(ctypes.byref(calls))
    try:
        check.run()
    finally:
        with open(report, "w", encoding="utf-8") as file:
            json.dump({"device": device.name, "kernels": check.report}, file, indent=1)
    bad = {kernel: entry["problems"] for kernel, entry in check.report.items() if entry["problems"]}
    for kernel, problems in bad.items():
        print(f"{name} {kernel}: " + "; ".join(problems))
    launches = sum(entry["launches"] for entry in check.report.values())
    print(f"{len(check.report) - len(bad)} of {len(check.report)} kernels agree in {launches} launches on {device.name}")
    return bool(bad)


def main(folder, name, kind, report, *options):
    torch.set_num_threads(min(8, os.cpu_count()))
    shim, emulator = libraries(folder)
    model = abi.Model(f"{folder}/kernels/{name}.emulated.so")
    device = CudaDevice() if kind == "cuda" else EmulatedDevice(emulator)
    device.load(abi.Model(f"{folder}/kernels/{name}.cuda.so") if kind == "cuda" else model)
    return compare(name, model, device, shim, emulator, report, *options)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
