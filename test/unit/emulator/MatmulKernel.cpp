//===- MatmulKernel.cpp - a matmul whose warps have roles, as text -----------===//
#include "MatmulKernel.h"

using namespace stretto;

const std::string test::roleMatmul = R"(
!d = !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>
#a = #kern.tensor_map<buffer 0, bf16, sizes [200, 160], strides [320], box [64, 64], swizzle 128>
#b = #kern.tensor_map<buffer 1, bf16, sizes [16, 160], strides [320], box [16, 64], swizzle 128>
gpu.module @kernels {
  llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @k(%a0: !llvm.ptr<1>, %a1: !llvm.ptr<1>, %a2: !llvm.ptr<1>,
      %mapA: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
      %mapB: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
      attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>, nvvm.minctasm = 1 : i32, kern.kernel = "k",
      kern.grid = array<i64: 2, 1>, kern.block = 256 : i64, kern.buffer_bytes = array<i64: 64000, 5120, 6400>,
      kern.bytes_moved = 75520 : i64, kern.flops = 1024000 : i64, kern.dynamic_shared_bytes = 23680 : i64, kern.launch_registers = 168 : i64,
      kern.tensor_maps = [#a, #b]} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i32) : i32
    %c5 = llvm.mlir.constant(5 : i32) : i32
    %c6 = llvm.mlir.constant(6 : i32) : i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %c15 = llvm.mlir.constant(15 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %rows = llvm.mlir.constant(200 : i32) : i32
    %group = llvm.mlir.constant(128 : i32) : i32
    %bytes = llvm.mlir.constant(10240 : i32) : i32
    %ticks = llvm.mlir.constant(1000 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %memory = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %full = llvm.getelementptr %memory[20480] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %empty = llvm.getelementptr %full[2] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %empty1 = llvm.getelementptr %full[3] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %full1 = llvm.getelementptr %full[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %warp = llvm.lshr %tid, %c5 : i32
    %lane = llvm.and %tid, %c31 : i32
    %firstTile = llvm.shl %block, %c1 : i32
    %lastTile = llvm.add %firstTile, %c1 : i32
    %isOne = llvm.icmp "eq" %tid, %c0 : i32
    llvm.cond_br %isOne, ^init, ^ready
  ^init:
    nvvm.mbarrier.init %full, %c1 : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %full1, %c1 : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %empty, %c4 : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %empty1, %c4 : !llvm.ptr<3>, i32
    nvvm.fence.mbarrier.init // initialised
    llvm.br ^ready
  ^ready:
    nvvm.barrier0
    %multiplies = llvm.icmp "ult" %warp, %c4 : i32
    llvm.cond_br %multiplies, ^consumer, ^producer
  ^producer:
    nvvm.setmaxregister decrease 40
    %copies = llvm.icmp "eq" %warp, %c4 : i32
    llvm.cond_br %copies, ^elect, ^end
  ^elect:
    %leads = nvvm.elect.sync -> i1
    llvm.cond_br %leads, ^fill(%firstTile, %c0, %c0 : i32, i32, i32), ^end
  ^fill(%tileF: i32, %k: i32, %turn: i32): // turns count the stages that were filled
    %stage = llvm.and %turn, %c1 : i32
    %cycle = llvm.lshr %turn, %c1 : i32
    %isOdd = llvm.and %cycle, %c1 : i32
    %parity = llvm.xor %isOdd, %c1 : i32
    %emptyAt = llvm.getelementptr %empty[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %fullAt = llvm.getelementptr %full[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    nvvm.mbarrier.try_wait.parity %emptyAt, %parity, %ticks : !llvm.ptr<3>, i32, i32 // empty
    nvvm.mbarrier.arrive.expect_tx %fullAt, %bytes : !llvm.ptr<3>, i32 // announced
    %toA = llvm.getelementptr %memory[%stage] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<10240 x i8>
    %toB = llvm.getelementptr %toA[8192] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %term = llvm.shl %k, %c6 : i32
    %row = llvm.shl %tileF, %c6 : i32
    nvvm.cp.async.bulk.tensor.shared.cluster.global %toA, %mapA, %fullAt, box[%term, %row] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %toB, %mapB, %fullAt, box[%term, %c0] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
    %nextTurn = llvm.add %turn, %c1 : i32
    %nextK = llvm.add %k, %c1 : i32
    %moreTerms = llvm.icmp "ult" %nextK, %c3 : i32
    llvm.cond_br %moreTerms, ^fill(%tileF, %nextK, %nextTurn : i32, i32, i32), ^filled
  ^filled:
    %nextTile = llvm.add %tileF, %c1 : i32
    %moreTiles = llvm.icmp "ule" %nextTile, %lastTile : i32
    llvm.cond_br %moreTiles, ^fill(%nextTile, %c0, %nextTurn : i32, i32, i32), ^end
  ^consumer:
    nvvm.setmaxregister increase 232
    %zero = llvm.mlir.zero : !d
    %four = llvm.mlir.constant(4 : i64) : i64
    %two = llvm.mlir.constant(2 : i64) : i64
    %stageUnits = llvm.mlir.constant(640 : i64) : i64 // addresses in descriptors count 16 bytes
    %behindA = llvm.mlir.constant(512 : i64) : i64
    // K-major, 128-byte swizzle, 1024 bytes from 8 rows to the next.
    %layout = llvm.mlir.constant(4611686293305360384 : i64) : i64
    %address = llvm.ptrtoint %memory : !llvm.ptr<3> to i64
    %units = llvm.lshr %address, %four : i64
    %base = llvm.or %units, %layout : i64
    %staging = llvm.getelementptr %memory[20608] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    llvm.br ^multiply(%firstTile, %c0, %c0, %zero : i32, i32, i32, !d)
  ^multiply(%tile: i32, %kC: i32, %turnC: i32, %d0: !d):
    %stageC = llvm.and %turnC, %c1 : i32
    %cycleC = llvm.lshr %turnC, %c1 : i32
    %parityC = llvm.and %cycleC, %c1 : i32
    %fullC = llvm.getelementptr %full[%stageC] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %emptyC = llvm.getelementptr %empty[%stageC] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    nvvm.mbarrier.try_wait.parity %fullC, %parityC, %ticks : !llvm.ptr<3>, i32, i32 // full
    %wide = llvm.zext %stageC : i32 to i64
    %offset = llvm.mul %wide, %stageUnits : i64
    %da0 = llvm.add %base, %offset : i64
    %db0 = llvm.add %da0, %behindA : i64
    nvvm.wgmma.fence.aligned // ready
    %d1 = nvvm.wgmma.mma_async %da0, %db0, %d0, #nvvm.shape<m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    %da1 = llvm.add %da0, %two : i64
    %db1 = llvm.add %db0, %two : i64
    %d2 = nvvm.wgmma.mma_async %da1, %db1, %d1, #nvvm.shape<m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    %da2 = llvm.add %da1, %two : i64
    %db2 = llvm.add %db1, %two : i64
    %d3 = nvvm.wgmma.mma_async %da2, %db2, %d2, #nvvm.shape<m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    %da3 = llvm.add %da2, %two : i64
    %db3 = llvm.add %db2, %two : i64
    %d4 = nvvm.wgmma.mma_async %da3, %db3, %d3, #nvvm.shape<m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>] : !d -> !d
    nvvm.wgmma.commit.group.sync.aligned
    nvvm.wgmma.wait.group.sync.aligned 1 // of the turn before
    %nextKC = llvm.add %kC, %c1 : i32
    %nextTurnC = llvm.add %turnC, %c1 : i32
    %leadsC = nvvm.elect.sync -> i1
    %isLater = llvm.icmp "ne" %kC, %c0 : i32
    %frees = llvm.and %leadsC, %isLater : i1
    llvm.cond_br %frees, ^free, ^freed
  ^free:
    %stageB = llvm.xor %stageC, %c1 : i32
    %emptyB = llvm.getelementptr %empty[%stageB] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i64
    %s0 = nvvm.mbarrier.arrive %emptyB : !llvm.ptr<3> -> i64 // drained
    llvm.br ^freed
  ^freed:
    %moreC = llvm.icmp "ult" %nextKC, %c3 : i32
    llvm.cond_br %moreC, ^multiply(%tile, %nextKC, %nextTurnC, %d4 : i32, i32, i32, !d), ^multiplied
  ^multiplied:
    nvvm.wgmma.wait.group.sync.aligned 0 // awaited
    llvm.cond_br %leadsC, ^freeLast, ^round
  ^freeLast:
    %s1 = nvvm.mbarrier.arrive %emptyC : !llvm.ptr<3> -> i64
    llvm.br ^round
  ^round:
    %v = llvm.mlir.undef : vector<8xf32>
    %x0 = llvm.extractvalue %d4[0] : !d
    %v0 = llvm.insertelement %x0, %v[%c0 : i32] : vector<8xf32>
    %x1 = llvm.extractvalue %d4[1] : !d
    %v1 = llvm.insertelement %x1, %v0[%c1 : i32] : vector<8xf32>
    %x2 = llvm.extractvalue %d4[2] : !d
    %v2 = llvm.insertelement %x2, %v1[%c2 : i32] : vector<8xf32>
    %x3 = llvm.extractvalue %d4[3] : !d
    %v3 = llvm.insertelement %x3, %v2[%c3 : i32] : vector<8xf32>
    %x4 = llvm.extractvalue %d4[4] : !d
    %v4 = llvm.insertelement %x4, %v3[%c4 : i32] : vector<8xf32>
    %x5 = llvm.extractvalue %d4[5] : !d
    %v5 = llvm.insertelement %x5, %v4[%c5 : i32] : vector<8xf32>
    %x6 = llvm.extractvalue %d4[6] : !d
    %v6 = llvm.insertelement %x6, %v5[%c6 : i32] : vector<8xf32>
    %x7 = llvm.extractvalue %d4[7] : !d
    %v7 = llvm.insertelement %x7, %v6[%c7 : i32] : vector<8xf32>
    %rounded = llvm.fptrunc %v7 : vector<8xf32> to vector<8xbf16>
    %pairs = llvm.bitcast %rounded : vector<8xbf16> to vector<4xi32>
    %p0 = llvm.extractelement %pairs[%c0 : i32] : vector<4xi32>
    %p1 = llvm.extractelement %pairs[%c1 : i32] : vector<4xi32>
    %p2 = llvm.extractelement %pairs[%c2 : i32] : vector<4xi32>
    %p3 = llvm.extractelement %pairs[%c3 : i32] : vector<4xi32>
    %firstRow = llvm.shl %warp, %c4 : i32
    %inWarp = llvm.and %lane, %c15 : i32
    %rowS = llvm.add %firstRow, %inWarp : i32
    %halfS = llvm.lshr %lane, %c4 : i32
    %toRow = llvm.getelementptr %staging[%rowS, 0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<48 x i8>
    %toPiece = llvm.getelementptr %toRow[%halfS] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    nvvm.stmatrix %toPiece, %p0, %p1, %p2, %p3 {layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : !llvm.ptr<3>, i32, i32, i32, i32
    nvvm.barrier id = %c1 number_of_threads = %group // staged
    %rowT = llvm.lshr %tid, %c1 : i32
    %halfT = llvm.and %tid, %c1 : i32
    %fromRow = llvm.getelementptr %staging[%rowT, 0] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<48 x i8>
    %fromPiece = llvm.getelementptr %fromRow[%halfT] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %firstOfTile = llvm.shl %tile, %c6 : i32
    %rowR = llvm.add %firstOfTile, %rowT : i32
    %isRow = llvm.icmp "ult" %rowR, %rows : i32
    llvm.cond_br %isRow, ^store, ^stored
  ^store:
    %piece = llvm.load %fromPiece {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
    %outRow = llvm.getelementptr %a2[%rowR, 0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<32 x i8>
    %out = llvm.getelementptr %outRow[%halfT] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %piece, %out {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    llvm.br ^stored
  ^stored:
    nvvm.barrier id = %c2 number_of_threads = %group // stored
    %nextTileC = llvm.add %tile, %c1 : i32
    %moreTilesC = llvm.icmp "ule" %nextTileC, %lastTile : i32
    llvm.cond_br %moreTilesC, ^multiply(%nextTileC, %c0, %nextTurnC, %zero : i32, i32, i32, !d), ^end
  ^end:
    llvm.return
  }
}
)";
