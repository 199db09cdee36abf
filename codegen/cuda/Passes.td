// Kernels for CUDA: what they are, how threads share their rows, and their code.
#ifndef STRETTO_CODEGEN_CUDA_PASSES_TD
#define STRETTO_CODEGEN_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseCudaEpilogues : Pass<"kern-choose-cuda-epilogues", "::mlir::ModuleOp"> {
  let summary = "decide which kernels lie in the epilogue of a matmul on tensor cores";
  let description = [{
    As `kern-choose-epilogues`, for matmuls of bf16. Strips have at most 256 columns, of each piece a multiple of 16, or
    of 64 where the weight is not transposed; rows of operands have a multiple of 8 numbers.

    Unless they are to be fused `where-possible`, a kernel stays apart where there are fewer tiles of 128 x 256 than
    `processors`, and where the one kernel is estimated to take no less time than the library's matmul and the kernel
    behind it. One: the longest of what its busiest thread block
    multiplies, copies and computes (as `kern-choose-cuda-schedule` counts it) and the bytes that it moves, then the
    epilogue of the last tile. Two: 650 TFLOP/s, the bytes that the kernel moves, another launch. Both remarks have the
    times, `NanosecondsFused` and `NanosecondsApart`.

    ```mlir
    // stretto-opt --kern-choose-cuda-epilogues
    func.func @main(%x: tensor<16x2048x768xbf16>, %w: tensor<2304x768xbf16>) -> tensor<16x2048x2304xbf16> {
      %0 = seq.linear %x, %w : tensor<16x2048x768xbf16>, tensor<2304x768xbf16> -> tensor<16x2048x2304xbf16>
      %1 = kern.rowwise kernel "main.rowwise0"(%0) maps [row] {
      ^bb0(%row: tensor<2304xbf16>):
        %2 = arith.extf %row : tensor<2304xbf16> to tensor<2304xf32>
        %3 = seq.tap %2 by -1 : tensor<2304xf32>
        %4 = arith.truncf %3 : tensor<2304xf32> to tensor<2304xbf16>
        kern.yield %4 : tensor<2304xbf16>
      } : (tensor<16x2048x2304xbf16>) -> tensor<16x2048x2304xbf16>
      return %1 : tensor<16x2048x2304xbf16>
    }
    ```
    becomes

    ```mlir
    %0 = seq.linear %arg0, %arg1 : ... {kern.epilogue = 0 : i64}
    ```
  }];
  let options = [
    Option<"wherePossible", "where-possible", "bool", "false", "also where it does not pay">,
    Option<"apart", "apart", "std::string", "", "why matmuls of the chip have no epilogue, if they have none">,
    Option<"processors", "processors", "int64_t", "multiprocessors",
           "multiprocessors of the device">
  ];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::arith::ArithDialect"];
}

def ChooseCudaSchedule : Pass<"kern-choose-cuda-schedule", "::mlir::ModuleOp"> {
  let summary = "decide how each fused kernel is shared out over threads";
  let description = [{
    Writes a `schedule` with threads on each `kern.rowwise` that has none:

    * `lanes`: columns that a thread loads at once, 16 bytes of the widest rows that are loaded or stored; fewer where
      the values that stay in registers (rows that are read later, sums of columns, coefficients) would take too many;
    * `threads`, `tiles`: enough threads for the columns of a row; where nothing is summed along rows, several groups
      share the columns of a chunk;
    * `groups`: narrow rows share a thread block of 128 threads;
    * `places`: rows come through a ring of so many steps in shared memory where registers hold too few of them on their
      way, or gradients of taps are computed between the loads, if the loads can be copied and there is room;
    * `rows`: as few as have enough bytes on their way from memory while a multiprocessor waits for them, and more
      where values wait in registers for more rows than a step has, if registers allow; rows of a step share a barrier;
    * `chunk`: so many rows that rows read twice at its borders are few and column sums small beside the data, and so
      few that the launch fills the device.

    And a `schedule` of tiles on each `kern.matmul` that has none:

    * `tile_rows`, `tile_columns`, `run`: such that the busiest thread block takes the least time; of several such the
      largest tiles, then the longest runs;
    * `stages`: four, or as many as fit into shared memory beside a tile of the result;
    * `blocks`: one for each multiprocessor that there is an item for.

    An option that is not 0 overrides the decision, and `overrides` does for kernels of some names, with the fields
    `rows`, `lanes`, `chunk`, `threads`, `groups` and `places`, of matmuls `run`, `tile_rows`, `tile_columns`, `stages`
    and `blocks`: what it leaves open is chosen, and what cannot serve is an error. A remark says what was chosen and
    what the launch is estimated to cost: see docs/kernels-cuda.md.

    ```mlir
    func.func @main(%x: tensor<2x64x256xf32>) -> tensor<2x64x256xf32> {
      %y = kern.rowwise kernel "k"(%x) maps [row] {
      ^bb0(%row: tensor<256xf32>):
        %0 = math.exp %row : tensor<256xf32>
        %1 = seq.tap %0 by -2 : tensor<256xf32>
        %2 = arith.addf %0, %1 : tensor<256xf32>
        kern.yield %2 : tensor<256xf32>
      } : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
      return %y : tensor<2x64x256xf32>
    }
    ```
    becomes

    ```mlir
    %0 = kern.rowwise kernel "k"(%arg0) maps [row] schedule #kern.thread_schedule<rows 4, lanes 4, chunk 4, threads 64, groups 2, tiles 1> {
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "0", "rows of a step">,
    Option<"lanes", "lanes", "int64_t", "0", "columns of a vector, a power of two of at most 64">,
    Option<"chunk", "chunk", "int64_t", "0", "rows of a chunk">,
    Option<"threads", "threads", "int64_t", "0", "threads of a group">,
    Option<"overrides", "overrides", "std::string", "\"\"",
           "PATTERN:FIELD=NUMBER,FIELD=NUMBER; several apart by semicolons">,
    Option<"processors", "processors", "int64_t", "multiprocessors",
           "multiprocessors of the device">,
    Option<"sharedOfBlock", "shared-bytes", "int64_t", "232448", "shared memory that a block may have">
  ];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def ExpandMixers : Pass<"kern-expand-mixers", "::mlir::ModuleOp"> {
  let summary = "linear mixers as tile programs";
  let description = [{
    `seq.mixer` becomes a `kern.walk` over chunks of 64 tokens that carries the state. `seq.mixer_grad` becomes two: one
    that goes from each saved state to those of the chunks up to the next, and one from the last chunk to the first that
    carries the gradient of the state; where states are saved for each chunk, the first is not needed. A head is several
    programs, side by side, where its state has more than 128 x 64 numbers: each has a part of the value columns, and
    what several have computed parts of is added up by a `kern.rowwise`.

    Operations of a walk are ordered so that few tiles are in registers at once; `held` is the estimate of how many
    registers that takes. Where it is more than 72, what is carried lies in shared memory (`shared_state`). Where it is
    more than 96 even so (80 with a decay for each channel), or tiles do not fit into the shared memory of a block,
    chunks have 32 tokens, then there are more programs; where no cut holds few enough tiles, the first that fits into
    shared memory is taken.

    Where sequences times programs are fewer than the `processors` of the device, a sequence is cut into spans of at
    least four chunks, which are walked side by side, each from the state that the spans before it leave. One walk finds
    what each span makes of a state of zero and, without an eraser, the factors that multiply what comes in; with one, a
    second walk finds the matrices that do; a third goes over the spans in order. The gradient of the state is found
    likewise, from the last span to the first. There are as many spans as take least time by an estimate (a chunk takes
    a trip to memory, its matmuls and its solves), and none where they save less than 15 % of it; a remark says which.
    `span` that is not 0 is taken instead.

    A mixer with at least 16 heads, of at most 64 numbers of state, at most 8 value columns and 32 key columns, stays as
    it is: `kern-name-cuda-kernels` names it, and it becomes a kernel with a thread for each key column of each head.
    Other mixers with `erase_write`, the steps of generation, and what fits in no way stay with the library, with a
    remark.
    The formulas: docs/mixers.md.

    ```mlir
    func.func @main(%q: tensor<2x70x32xf32>, %v: tensor<2x70x64xf32>) -> tensor<2x70x64xf32> {
      %o = seq.mixer %q, %q, %v heads 2 key_heads 2 scale 0.5 segment 256 : tensor<2x70x32xf32>, tensor<2x70x64xf32>
      return %o : tensor<2x70x64xf32>
    }
    ```
    becomes

    ```mlir
    %0 = kern.walk(%arg0, %arg0, %arg1) windows [<rows 2>, <rows 2>, <rows 2>] -> [<rows 2>] programs 2 chunk 64 span 2 held 24 {
    ^bb0(%arg2: tensor<64x16xf32>, %arg3: tensor<64x16xf32>, %arg4: tensor<64x32xf32>, %arg5: tensor<16x32xf32>):
    ...
    ```
  }];
  let options = [
    Option<"sharedBytes", "shared-bytes", "int64_t", "232448", "shared memory that a block may have">,
    Option<"processors", "processors", "int64_t", "multiprocessors",
           "multiprocessors of the device">,
    Option<"span", "span", "int64_t", "0", "chunks of a span, where the estimate is not to choose it">
  ];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def NameCudaKernels : Pass<"kern-name-cuda-kernels", "::mlir::ModuleOp"> {
  let summary = "library operations that the target has kernels for, and walks, are kernels";
  let description = [{
    Gives each of them the name of its kernel, `kern.kernel`: that of its function, and a number among those of its
    kind; and so each `kern.walk` that has none. Remarks say how the library computes matmuls of experts.

    ```mlir
    func.func @gradients(%t: tensor<2x8xi32>, %e: tensor<64x16xf32>) -> tensor<2x8x16xf32> {
      %x = seq.embed %t, %e : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32>
      return %x : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    ... = seq.embed %arg0, %arg1 : tensor<2x8xi32>, tensor<64x16xf32> -> tensor<2x8x16xf32> {kern.kernel = "gradients.embed0"}
    ```
  }];
}

def LowerCudaKernels : Pass<"kern-lower-cuda-kernels", "::mlir::ModuleOp"> {
  let summary = "fused kernels become functions in the NVVM dialect";
  let description = [{
    Adds a `gpu.module @kernels` with one function for each kernel: `kern.rowwise`, `kern.matmul`, `kern.sum_partials`,
    `kern.walk`, and the library operations that `kern-name-cuda-kernels` names. The operations stay, without the
    `resources` that were noted at them. A function takes one pointer to global memory for each operand and result,
    consists of operations of the LLVM and NVVM dialects alone, and says by attributes how it is launched:

    * `kern.kernel`: the name of the kernel; the symbol has underscores for what assemblers do not take;
    * `kern.grid`, `kern.block`: blocks in x and y, threads of a block;
    * `kern.buffer_bytes`: bytes behind each pointer;
    * `kern.dynamic_shared_bytes`: of a matmul, and of a walk whose tiles take more shared memory than static arrays
      may;
    * `kern.tensor_maps`: what bulk tensor copies of a matmul read;
    * `kern.bytes_moved`, `kern.flops`: what a launch costs.

    Rowwise kernels need a schedule with threads. Matmuls need one with tiles, operands of bf16 whose rows have a
    multiple of 8 numbers, and a body that yields the matmul alone, rounded; they are for sm_90a. Matrices of walks need
    rows and columns that are multiples of 16, and tiles that fit into shared memory. See docs/kernels-cuda.md.

    ```mlir
    func.func @main(%x: tensor<2x8x16xf32>) -> tensor<2x8x16xf32> {
      %y = kern.rowwise kernel "main.double"(%x) maps [row] schedule #kern.thread_schedule<rows 2, lanes 4, chunk 8, threads 32, groups 1, tiles 1> {
      ^bb0(%row: tensor<16xf32>):
        %0 = arith.addf %row, %row : tensor<16xf32>
        kern.yield %0 : tensor<16xf32>
      } : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      return %y : tensor<2x8x16xf32>
    }
    ```
    becomes

    ```mlir
    gpu.module @kernels {
    ...
    llvm.func @main_double(%arg0: !llvm.ptr<1>, %arg1: !llvm.ptr<1>) attributes {gpu.kernel, ...
    ...
    ... = nvvm.read.ptx.sreg.tid.x ...
    ...
    ... = llvm.fadd ... : vector<4xf32>
    ```
  }];
  let options = [
    Option<"sharedOfBlock", "shared-bytes", "int64_t", "232448", "shared memory that a block may have">
  ];
  let dependentDialects = ["::stretto::kern::KernDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

def CheckAsyncProxies : Pass<"kern-check-async-proxies", "::mlir::ModuleOp"> {
  let summary = "check the waits and fences that asynchronous operations of kernels need";
  let description = [{
    Reports, in the kernels of a `gpu.module` of the dialects LLVM and NVVM,

    * what uses the accumulator of a matmul of a warpgroup (`nvvm.wgmma.mma_async`) where no commit and wait that cover
      the matmul stand on every way between the two;
    * matmuls with no `nvvm.wgmma.fence.aligned` on every way to them from what accesses accumulators, or from the
      start of the kernel;
    * matmuls of warpgroups and bulk tensor copies with no `nvvm.fence.proxy` of `async` or `async.shared` on every way
      to them from a store of threads to the shared memory that they access: ways through branches, and from an arrival
      at an mbarrier, or at a barrier of some threads, to the waits for it.

    Arrays in a variable of shared memory begin where an address with a variable part counts from, and are taken to end
    where the next one begins. Kernels stay as they are.

    ```mlir
    gpu.module @kernels {
      llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<2048 x i8>
      llvm.func @k(%v: f32, %map: !llvm.ptr) attributes {nvvm.kernel} {
        %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
        %i = llvm.mlir.constant(0 : i32) : i32
        llvm.store %v, %tile : f32, !llvm.ptr<3>
        nvvm.cp.async.bulk.tensor.global.shared.cta %map, %tile, box[%i, %i] : !llvm.ptr, !llvm.ptr<3>
        llvm.return
      }
    }
    ```
    is refused, for want of a fence:

    ```text
    ...: error: 'nvvm.cp.async.bulk.tensor.global.shared.cta' op must have nvvm.fence.proxy of async or async.shared on every way to it from stores to the shared memory that it accesses
    ```
  }];
}

#endif
