"""runtime/abi/abi.h for ctypes, and a compiled model opened with it."""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_int64, c_uint32, c_void_p

VERSION = 6
F32, F64, I32, BF16 = range(4)
(ACTIVATIONS, PARAMETERS, GRADIENTS, MOMENT1, MOMENT2, ACCUMULATOR, INPUTS, OUTPUTS, TABLES, HYPER, ROUNDED,
 CACHE) = range(12)
CUBIN, PTX = range(2)


def fields(text):
    """("a b: type") -> ctypes fields; a type may be an array: `int64 shape[4]` is written `shape: int64*4`."""
    types = {"i32": c_int32, "u32": c_uint32, "i64": c_int64, "f64": c_double, "text": c_char_p, "pointer": c_void_p}
    result = []
    for part in filter(None, (each.strip() for each in text.split(";"))):
        names, _, kind = part.partition(":")
        kind, _, count = kind.strip().partition("*")
        known = types.get(kind) or globals()[kind]
        result += [(name, known * int(count) if count else known) for name in names.split()]
    return result


class Buffer(Structure):
    _fields_ = fields("arena unused: i32; offset: i64")


class Parameter(Structure):
    _fields_ = fields("name: text; offset: i64; shape: i64*4; rank trainable init unused: i32; init_a init_b: f64; "
                      "location: text")


class Table(Structure):
    _fields_ = fields("kind interleaved: i32; offset rows columns rotated: i64; theta: f64")


class Kernel(Structure):
    _fields_ = fields("name location group: text; function: pointer; chunks buffers scratch_bytes bytes_moved flops: i64; "
                      "symbol: text; grid: i64*2; block shared_bytes registers spill_bytes: i64; "
                      "buffer_bytes: pointer")


class Image(Structure):
    _fields_ = fields("kind unused: i32; architecture: text; data: pointer; bytes: i64")


class Decode(Structure):
    _fields_ = fields("rows tokens positions counts logits: i64; run: pointer")


class Program(Structure):
    _fields_ = fields(
        "abi_version struct_size: u32; model spec_text spec_hash settings plan target cpu cpu_features compiler: text; "
        "dtype activation_dtype: i32; batch length vocabulary: i64; arena_bytes: i64*12; activation_bytes: i64; "
        "trainable_elements: i64; flops_forward flops_backward: f64; parameters: pointer; parameter_count: i64; "
        "tables: pointer; table_count: i64; kernels: pointer; kernel_count: i64; images: pointer; image_count: i64; "
        "tokens targets weights positions starts documents: i64; loss grad_norm nll predicted: i64; "
        "gradients accumulate take_accumulated update evaluate round_parameters: pointer; "
        "decode_one decode_chunk: Decode")


class Result(Structure):
    _fields_ = fields("operation location kernel: text; buffer weight: i32; rows row_bytes stride: i64; shape: i64*4; "
                      "rank arena dtype unused: i32")


class Site(Structure):
    _fields_ = fields("results: pointer; count: i64")


class Matmul(Structure):
    _fields_ = fields("m n k lda ldb ldc: i64; transpose_a transpose_b accumulate dtype dtype_c has_addend: i32; "
                      "a b c d: Buffer; ldd: i64")


class Attention(Structure):
    _fields_ = fields("batch length heads kv_heads head_dim q_stride k_stride v_stride o_stride: i64; scale: f64; "
                      "causal dtype: i32; q k v o lse positions starts: Buffer; has_positions has_starts: i32; documents: i64")


class AttentionGrad(Structure):
    _fields_ = fields("forward: Attention; do_stride dq_stride dk_stride dv_stride: i64; d_o d_q d_k d_v: Buffer")


class Copy(Structure):
    _fields_ = fields("rows row_bytes from_stride to_stride: i64; source target: Buffer")


class Calls(Structure):
    """What shim.c hands on to."""
    _fields_ = [("at", CFUNCTYPE(None, POINTER(Site))),
                ("launch", CFUNCTYPE(None, POINTER(Kernel), POINTER(Buffer))),
                ("matmul", CFUNCTYPE(None, POINTER(Matmul))),
                ("attention", CFUNCTYPE(None, POINTER(Attention))),
                ("attention_grad", CFUNCTYPE(None, POINTER(AttentionGrad))),
                ("zero", CFUNCTYPE(None, POINTER(Buffer), c_int64)),
                ("copy", CFUNCTYPE(None, POINTER(Copy)))]  # fmt: skip


def array(kind, address, count):
    return list((kind * count).from_address(address)) if count else []


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
