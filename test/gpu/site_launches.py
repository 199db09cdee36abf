"""That the launches bench/gpu/sites.py takes for a site are the site's: they move what the site must read and write, and forward,
where no sums of columns come on top, little more; and that sites in matmuls are these matmuls.

    site_launches.py ROOT FOLDER (as test/gpu/prepare makes it)
"""
import ctypes
import sys

ROOT, FOLDER = sys.argv[1:]
sys.path[:0] = [f"{ROOT}/test/gpu", f"{ROOT}/bench/gpu"]
import abi
import machine
from launches import product_launches, site_launches
from programs import PRODUCTS

# Operands as wide as x, or as gate: x, y; x, h; q, k, v and what they become; gate, up, hidden. Backward: x, dy, dx;
# x, the gradient that passes by, dh, dx and h once more; the forward once more, then the gradients of all six; and so on. Rotary alone leaves
# values where they are.
LEAST = {"conv": (2, 3), "norm": (2, 5), "rotary": (6, 12), "rotary-plain": (4, 12), "gate": (3, 6)}


def moved(name, made):
    """Rows of operands that a layer moves, forward and backward."""
    model = abi.Model(f"{FOLDER}/sites/{name}.so")
    launches = site_launches(model, shim, made["site"])
    width = 8 * made["dim"] // 3 // 8 * 8 if made["site"] == "gate" else made["dim"]
    operand = 2 * made["batch"] * made["length"] * width * made["layers"]
    return [sum(launch.kernel.bytes_moved for launch in launches[way]) / operand for way in ("forward", "backward")]


shim = ctypes.CDLL(f"{FOLDER}/kernels/libshim.so", ctypes.RTLD_GLOBAL)
for library in (f"{FOLDER}/lib/libstretto_emulator.so", "libm.so.6"):
    ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
facts = machine.facts_of(FOLDER, "sites")
sites = facts["sites"]
for name, made in sites.items():
    forward, backward = moved(name, made)
    least = LEAST.get(name, LEAST[made["site"]])
    if not least[0] <= forward <= 1.25 * least[0] or backward < least[1]:
        sys.exit(f"{name} moves {forward:.2f} operands forward and {backward:.2f} backward, not about {least}")
for name, made in facts["fused"].items():
    launches = {"fused": site_launches(abi.Model(f"{FOLDER}/sites/{name}-fused.so"), shim, made["site"]),
                "product": product_launches(abi.Model(f"{FOLDER}/sites/{name}-product.so"), shim)}  # fmt: skip
    for kind, kernel in (("fused", "matmul0"), ("product", "product")):
        for way in PRODUCTS[name]:
            names = [launch.name for launch in launches[kind][way]]
            if len(names) < made["layers"] or {each.split(".")[2] for each in names} != {kernel}:
                sys.exit(f"{name}, {kind}, {way}: {names} are not the matmul in each layer")
print(f"{len(sites)} sites move what they must")
