"""One site of sites.stretto or mixers.stretto: our kernels, PyTorch's forms, and a large copy, in one process.

    site_worker.py SETTINGS.json

Settings: site and its sizes, batch, length; folder (what test/gpu/prepare made), models ({"canon": FILE, "plain": FILE}, or
{"mixer": FILE}: compiled sites of `layers` layers), copies (of their memory), small, seconds (in which it tries forms). Prints what is
ready, then answers `measure ROUNDS SECONDS` by seconds of one pass of each side.
"""
import sys
import time

import setting  # finds test/gpu
import abi
from chains import Chain, Operands
from launches import site_launches
from mixer_chains import NAMES, MixerOperands
from mixer_check import Reference
from mixer_kernels import MixerKernels
from site_kernels import Kernels
from site_sides import DEVICE, Sides, answer


class Site(Sides):
    def __init__(self, settings):
        super().__init__(settings)
        self.is_mixer = settings["site"] in NAMES
        sets = settings["layers"] * settings["copies"]
        self.operands = (MixerOperands if self.is_mixer else Operands)(settings, sets, DEVICE)
        self.reference = Reference(self.operands) if self.is_mixer else None
        for kind, path in settings["models"].items():
            self.add_ours(kind, path)
        for form, how in self.operands.forms(settings["small"]):
            self.try_chain(form, how)
        self.add_copy()

    def add_ours(self, kind, path):
        kernels = self.kernels(abi.Model(path), self.device())
        ways = {"forward": ["forward"], "backward": ["backward"], "both": ["forward", "backward"]}
        for way, parts in ways.items():
            self.add(f"{kind} {way}", lambda parts=parts: [kernels.run(part) for part in parts], kernels.calls)
            self.facts["bytes"][f"{kind} {way}"] = sum(map(kernels.bytes_moved, parts))

    def kernels(self, model, device):
        """Ours; those of a mixer are checked."""
        settings = self.settings
        if not self.is_mixer:
            return Kernels(model, site_launches(model, self.shim, settings["site"]), device, settings["copies"], settings["layers"])
        kernels = MixerKernels(model, self.shim, self.operands, device, settings["layers"])
        self.facts["errors"] = {"stretto": self.reference.check_kernels(kernels)}
        return kernels

    def try_chain(self, form, how):
        """A form that fails leaves the others as they are. `how`: eager or compiled; with -launched, never in a graph."""
        name, (mode, _, is_launched) = f"{form} {how}", how.partition("-")
        if time.monotonic() > self.end:
            self.problems[name] = "there was no time for it"
            return
        try:
            if self.is_mixer and form not in self.facts["errors"]:
                self.facts["errors"][form] = self.reference.check_form(form)
            chain = Chain(self.operands, form, mode == "compiled")
            for way in ("forward", "both"):
                self.add(f"{name} {way}", lambda way=way: chain.run(way), len(self.operands.sets), is_captured=not is_launched)
        except Exception as problem:
            self.problems[name] = f"{type(problem).__name__}: {str(problem)[-500:]}"
            for way in ("forward", "both"):
                self.sides.pop(f"{name} {way}", None)


if __name__ == "__main__":
    answer(sys.argv[1], Site)
