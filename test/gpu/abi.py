"""runtime/abi/abi.h, as it stands there, for ctypes; and a compiled model opened with it."""
import ctypes
import math
import re
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_uint32, c_void_p
from pathlib import Path

HEADER = Path(__file__).resolve().parents[2] / "runtime/abi/abi.h"
TYPES = {"int32_t": c_int32, "uint32_t": c_uint32, "int64_t": c_int64, "double": c_double}


def read_numbers(text):
    """Values of the enumerations and of what is defined, by name."""
    numbers = {name: int(value) for name, value in re.findall(r"(?:#define )?(STRETTO_\w+) (?:= )?(\d+)", text)}
    arenas = {f"STRETTO_ARENA_{name}": int(value) for value, name in re.findall(r"X\((\d+), (\w+), \w+\)", text)}
    return numbers | arenas | {"STRETTO_ARENA_COUNT": len(arenas)}


def read_fields(text, known):
    """ctypes fields of the declarations of a struct."""
    for declaration in filter(None, map(str.strip, text.split(";"))):
        if function := re.match(r"void \(\*(\w+)\)", declaration):
            yield function[1], c_void_p
            continue
        kind, names = re.fullmatch(r"(?:const )?(\w+) (.+)", declaration, re.S).groups()
        for star, name, count in re.findall(r"(\*?)(\w+)(?:\[(\w+)\])?", names):
            if star:
                yield name, c_char_p if kind == "char" else c_void_p
            else:
                yield name, known[kind] * int(NUMBERS.get(count, count)) if count else known[kind]


def read_structs(text):
    known = TYPES | {name: c_void_p for name in re.findall(r"typedef void \(\*(\w+)\)", text)}
    for name, fields in re.findall(r"typedef struct (\w+) \{(.*?)\}", text, re.S):
        known[name] = type(name, (Structure,), {"_fields_": list(read_fields(fields, known))})
    return known


PLAIN = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.S)
NUMBERS = read_numbers(PLAIN)
STRUCTS = read_structs(PLAIN)

VERSION, ARENAS = NUMBERS["STRETTO_ABI_VERSION"], NUMBERS["STRETTO_ARENA_COUNT"]
F32, F64, I32, BF16 = (NUMBERS[f"STRETTO_{name}"] for name in ("F32", "F64", "I32", "BF16"))
(ACTIVATIONS, PARAMETERS, GRADIENTS, MOMENT1, MOMENT2, INPUTS, TABLES, HYPER) = (
    NUMBERS[f"STRETTO_ARENA_{name}"]
    for name in ("ACTIVATIONS", "PARAMETERS", "GRADIENTS", "MOMENT1", "MOMENT2", "INPUTS", "TABLES", "HYPER"))  # fmt: skip
(Buffer, Parameter, Table, TensorMap, Kernel, Image, Program, Result, Site, Matmul, Attention, AttentionGrad, Copy, Tensor, Number,
 NamedCall) = (
    STRUCTS[f"stretto_{name}"]
    for name in ("buffer", "parameter", "table", "tensor_map", "kernel", "image", "program", "result", "site", "matmul_args",
                 "attention_args", "attention_grad_args", "copy_args", "tensor", "number", "library_args"))  # fmt: skip


class Calls(Structure):
    """What shim.c hands on to."""
    _fields_ = [("at", CFUNCTYPE(None, POINTER(Site))),
                ("launch", CFUNCTYPE(None, POINTER(Kernel), POINTER(Buffer))),
                ("matmul", CFUNCTYPE(None, POINTER(Matmul))),
                ("attention", CFUNCTYPE(None, POINTER(Attention))),
                ("attention_grad", CFUNCTYPE(None, POINTER(AttentionGrad))),
                ("zero", CFUNCTYPE(None, POINTER(Buffer), c_int64)),
                ("copy", CFUNCTYPE(None, POINTER(Copy))),
                ("library", CFUNCTYPE(None, POINTER(NamedCall)))]  # fmt: skip


def array(kind, address, count):
    return list((kind * count).from_address(address)) if count else []


def boxes_of(kernel):
    """Bytes that a copy brings, by tensor map."""
    sizes = {F32: 4, F64: 8, I32: 4, BF16: 2}
    return [math.prod(m.box[: m.rank]) * sizes[m.dtype] for m in array(TensorMap, kernel.maps, kernel.map_count)]


Kernel.boxes = property(boxes_of)


class Model:
    """A compiled model in a shared object."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.program = Program.in_dll(self.library, "stretto_compiled_program")
        if (self.program.abi_version, self.program.struct_size) != (VERSION, ctypes.sizeof(Program)):
            raise RuntimeError(f"{path} has interface version {self.program.abi_version} ({self.program.struct_size} bytes), "
                               f"not {VERSION} ({ctypes.sizeof(Program)} bytes)")
        self.parameters = array(Parameter, self.program.parameters, self.program.parameter_count)
        self.tables = array(Table, self.program.tables, self.program.table_count)
        self.kernels = {k.name.decode(): k for k in array(Kernel, self.program.kernels, self.program.kernel_count)}
        self.images = array(Image, self.program.images, self.program.image_count)

    def call(self, entry):
        """Runs an entry point, by name; one that a program does not have is nothing to do."""
        if address := getattr(self.program, entry):
            CFUNCTYPE(None, c_void_p)(address)(None)
