"""CUDA's driver, as far as kernels of a program are loaded and launched by it: machine code, tensor maps, launches."""
import ctypes
from ctypes import Structure, c_byte, c_char_p, c_int, c_uint32, c_uint64, c_void_p

import abi

# What cuda.h calls CU_...: an attribute of functions, one of launches, types, swizzles by the bytes of their rows, a promotion.
MAX_DYNAMIC_SHARED_BYTES = 8
CLUSTER_DIMENSION = 4
MAP_TYPES = {abi.F32: 7, abi.F64: 8, abi.BF16: 9}
MAP_SWIZZLES = {0: 0, 32: 1, 64: 2, 128: 3}
MAP_PROMOTION_L2_256B = 3
MAP_BYTES, MAP_ALIGNMENT = 128, 64


class Cluster(Structure):
    """A CUlaunchAttribute that says how many blocks a cluster has in x, y, z."""
    _fields_ = [("id", c_int), ("pad", c_byte * 4), ("dimensions", c_uint32 * 3), ("rest", c_byte * 52)]  # fmt: skip


class LaunchConfig(Structure):
    """CUlaunchConfig."""
    _fields_ = [("grid", c_uint32 * 3), ("block", c_uint32 * 3), ("shared_bytes", c_uint32), ("stream", c_void_p),
                ("attributes", c_void_p), ("attribute_count", c_uint32)]  # fmt: skip


class AlignedMap:
    """Room for a CUtensorMap."""

    def __init__(self):
        self.room = (c_byte * (MAP_BYTES + MAP_ALIGNMENT))()
        start = ctypes.addressof(self.room)
        self.address = c_void_p(start + -start % MAP_ALIGNMENT)


class Driver:
    """`library`: the driver's, or one that stands in for it. Needs a context that is current."""

    def __init__(self, library="libcuda.so.1"):
        self.library, self.module, self.functions = ctypes.CDLL(library), c_void_p(), {}

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()} ({status})")

    def load(self, images):
        """Takes the first image that is accepted, machine code or else PTX; returns what it was made for."""
        problems = []
        for image in images:
            try:
                self.call("cuModuleLoadData", ctypes.byref(self.module), c_void_p(image.data))
                return image.architecture.decode()
            except RuntimeError as error:
                problems.append(f"{image.architecture.decode()}: {error}")
        raise RuntimeError("no image can be loaded: " + "; ".join(problems))

    def function(self, kernel):
        if kernel.symbol not in self.functions:
            function = c_void_p()
            self.call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel.symbol)
            if shared := kernel.dynamic_shared_bytes:  # more than 48 KiB must be asked for
                self.call("cuFuncSetAttribute", function, c_int(MAX_DYNAMIC_SHARED_BYTES), c_int(shared))
            self.functions[kernel.symbol] = function
        return self.functions[kernel.symbol]

    def tensor_map(self, described, address):
        """The map of a tensor that a kernel's table describes and that lies at an address; of the kind that the runtime makes."""
        made, each = AlignedMap(), range(described.rank)
        numbers = lambda kind, values: (kind * max(1, len(values)))(*values)
        self.call("cuTensorMapEncodeTiled", made.address, c_int(MAP_TYPES[described.dtype]), c_uint32(described.rank), c_void_p(address),
                  numbers(c_uint64, [described.sizes[i] for i in each]), numbers(c_uint64, [described.strides[i] for i in each[1:]]),
                  numbers(c_uint32, [described.box[i] for i in each]), numbers(c_uint32, [1 for _ in each]),
                  c_int(0), c_int(MAP_SWIZZLES[described.swizzle]), c_int(MAP_PROMOTION_L2_256B), c_int(0))  # fmt: skip
        return made

    def launch(self, kernel, addresses, stream):
        """Puts a launch of a whole kernel on a stream: a pointer for each buffer, then its tensor maps."""
        pointers = [c_void_p(address) for address in addresses]
        maps = [self.tensor_map(each, addresses[each.buffer]) for each in abi.array(abi.TensorMap, kernel.maps, kernel.map_count)]
        arguments = [ctypes.addressof(pointer) for pointer in pointers] + [each.address.value for each in maps]
        config = LaunchConfig((kernel.grid[0], kernel.grid[1], 1), (kernel.block, 1, 1), kernel.dynamic_shared_bytes, stream)
        cluster = Cluster(CLUSTER_DIMENSION, dimensions=(kernel.cluster, 1, 1))
        if kernel.cluster > 1:
            config.attributes, config.attribute_count = ctypes.addressof(cluster), 1
        self.call("cuLaunchKernelEx", ctypes.byref(config), self.function(kernel), (c_void_p * len(arguments))(*arguments), None)
