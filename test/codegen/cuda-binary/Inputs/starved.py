"""A kernel that writes to 40 places, meets a barrier, and writes there again. It has 40 registers, and the places, which follow from the
number of its thread, take two each: they do not fit, unless that number is renewed at the barrier."""
PLACES = 40


def places(thread, at):
    """Code that writes to all of them."""
    for i in range(PLACES):
        yield f"""
    %factor{at}{i} = llvm.mlir.constant({2 * i * i + 3} : i32) : i32
    %number{at}{i} = llvm.mul {thread}, %factor{at}{i} : i32
    %mixed{at}{i} = llvm.xor %number{at}{i}, %factor{at}{i} : i32
    %wide{at}{i} = llvm.zext %mixed{at}{i} : i32 to i64
    %place{at}{i} = llvm.getelementptr %to[%wide{at}{i}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
    llvm.store volatile %value, %place{at}{i} : f32, !llvm.ptr<1>"""


print(f"""gpu.module @kernels {{
  llvm.func @starved(%to: !llvm.ptr<1>) attributes {{gpu.kernel, nvvm.kernel, nvvm.maxnreg = 40 : i32, nvvm.reqntid = array<i32: 32, 1, 1>,
      kern.kernel = "starved", kern.grid = array<i64: 1, 1>, kern.block = 32 : i64, kern.bytes_moved = 4 : i64, kern.flops = 0 : i64}} {{
    %value = llvm.mlir.constant(1.0 : f32) : f32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %last = llvm.mlir.constant(31 : i32) : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    {"".join(places("%thread", "a"))}
    nvvm.barrier0
    %again = nvvm.shfl.sync bfly %all, %thread, %zero, %last {{kern.renewal = 10 : i64}} : i32 -> i32
    {"".join(places("%again", "b"))}
    llvm.return
  }}
}}""")
