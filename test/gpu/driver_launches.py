"""Kernels as test/gpu/run launches them on a GPU, on a driver that stands in for CUDA's: kernels with tensor maps, dynamic shared
memory and clusters get what the runtime would give them, and the kernels of a program, matmuls on tensor cores among them, agree.

REQUIRES: compiler, runtime, ptxas
UNSUPPORTED: sanitize
RUN: %python %s %root %build %t
"""
import ctypes
import os
import shutil
import subprocess
import sys
from ctypes import addressof, byref, c_int64, c_void_p

root, build, folder = sys.argv[1:]
sys.path.insert(0, f"{root}/test/gpu")
import abi
import kernels
from devices import CudaDevice
from driver import Driver
from programs import ALL, Made, Shape

STAND_IN = f"{build}/test/programs/libfake_driver.so"
FUSED = Made("llama", Shape(2, 32, 64), {"dim": 64, "layers": 2, "heads": 2, "canon_at": ALL}, "bf16", more=("--fuse=always",))
KERNEL_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.POINTER(c_void_p), c_int64, c_int64, c_void_p)


def expect(condition, message):
    if not condition:
        sys.exit(f"failed: {message}")


def map_of(buffer, dtype, swizzle, sizes, strides, box):
    whole = lambda numbers: (c_int64 * 5)(*numbers)
    return abi.TensorMap(buffer=buffer, dtype=dtype, rank=len(sizes), sizes=whole(sizes), strides=whole(strides), box=whole(box),
                         swizzle=swizzle)  # fmt: skip


# What no program asks for by now is here, too: each type, each pattern, one to five dimensions.
MAPS = [map_of(1, abi.BF16, 128, [768, 2048], [2, 1536], [64, 128]), map_of(0, abi.F32, 64, [48, 5, 3], [4, 192, 960], [16, 2, 1]),
        map_of(1, abi.F64, 32, [20, 2, 2, 3], [8, 160, 320, 640], [4, 1, 2, 3]), map_of(0, abi.F32, 0, [1000], [4], [256]),
        map_of(1, abi.BF16, 0, [8, 7, 6, 5, 4], [2, 16, 112, 672, 3360], [8, 1, 2, 3, 4])]  # fmt: skip


def kernel_of(**fields):
    numbers = {"grid": (c_int64 * 2)(12, 2), "block": 384, "cluster": 2, "dynamic_shared_bytes": 200000, "buffers": 2,
               "maps": addressof(maps), "map_count": len(MAPS)}  # fmt: skip
    return abi.Kernel(symbol=b"made_up", **numbers | fields)


def launch(kernel, asked=None, buffers=2):
    """What a kernel is launched with, by the table that it has; `asked`: another kernel, which is launched in its place."""
    found = []
    run = KERNEL_FUNCTION(lambda places, begin, end, scratch: found.append((places[:buffers], begin, end)))
    driver = Driver(STAND_IN)
    driver.library.fake_add_kernel(byref(kernel), run, c_int64(7))
    driver.module = c_void_p(1)
    driver.launch(asked or kernel, addresses, None)
    return found


memory = [(ctypes.c_char * 4096)() for _ in range(2)]
addresses = [addressof(each) + -addressof(each) % 16 for each in memory]
maps = (abi.TensorMap * len(MAPS))(*MAPS)
for cluster in (0, 1, 2, 4):
    expect(launch(kernel_of(cluster=cluster)) == [(addresses, 0, 7)], f"a kernel with clusters of {cluster} blocks")
other = (abi.TensorMap * len(MAPS))(*MAPS[:-1], map_of(1, abi.BF16, 0, [8, 7, 6, 5, 3], [2, 16, 112, 672, 3360], [8, 1, 2, 3, 3]))
for name, spoiled in {"cluster": kernel_of(cluster=3), "shared memory": kernel_of(dynamic_shared_bytes=100000), "tensor map": kernel_of(maps=addressof(other)),
                      "grid": kernel_of(grid=(c_int64 * 2)(12, 1)), "block": kernel_of(block=256)}.items():  # fmt: skip
    try:
        launch(kernel_of(), spoiled)
    except RuntimeError as error:
        expect(str(error) == "cuLaunchKernelEx: invalid argument (1)", f"{name}: {error}")
    else:
        sys.exit(f"failed: another {name} than the table's is taken")


def make(kind):
    path = f"{folder}/kernels/fused.{kind}"
    subprocess.run(["stretto-compile", *FUSED.options(root, kind == "emulated"), "--emit=object", "-o", f"{path}.o"], check=True)
    subprocess.run(["cc", "-shared", f"{path}.o", "-o", f"{path}.so"], check=True)
    return f"{path}.so"


shutil.rmtree(folder, ignore_errors=True)
os.makedirs(f"{folder}/kernels")
os.symlink(f"{build}/lib", f"{folder}/lib")
subprocess.run(["cc", "-shared", "-fPIC", f"-I{root}", f"{root}/test/gpu/shim.c", "-o", f"{folder}/kernels/libshim.so"], check=True)
paths = {kind: make(kind) for kind in ("emulated", "cuda")}
shim, emulator = kernels.libraries(folder)
model, made = (abi.Model(paths[kind]) for kind in ("emulated", "cuda"))
matmuls = [kernel for kernel in made.kernels.values() if kernel.map_count]
expect(len(matmuls) == 8 and all(k.map_count == 2 and k.dynamic_shared_bytes > 48 << 10 for k in matmuls), f"{len(matmuls)} matmuls")
device = CudaDevice("cpu", STAND_IN)
for name, kernel in model.kernels.items():
    device.driver.library.fake_add_kernel(byref(made.kernels[name]), c_void_p(kernel.function), c_int64(kernel.chunks))
device.load(made)
for options in ((), ("--damage",)):
    expect(not kernels.compare("fused", model, device, shim, emulator, f"{folder}/fused.json", *options), f"kernels differ {options}")
