//===- ClusterKernels.cpp - kernels whose blocks are in clusters, as text -------------===//
#include "ClusterKernels.h"

#include "EmulatedKernels.h"
#include "Kernels.h"

using namespace stretto;

std::string test::clusterKernel(int blocks, int threads, const std::string &bufferBytes, int buffers,
                                const std::string &body, int dynamicShared) {
  return with(
      kernel(blocks, threads, bufferBytes, buffers, body, dynamicShared), ") attributes {",
      ") attributes {nvvm.cluster_dim = array<i32: 2, 1, 1>, kern.bytes_moved = 0 : i64, kern.flops = 0 : i64, ");
}

const std::string test::exchange = clusterKernel(4, 64, "1024, 1024", 2, R"(
    %rank = nvvm.read.ptx.sreg.cluster.ctarank range <i32, 0, 2> : i32
    %other = llvm.xor %rank, %i1 : i32
    %i63 = llvm.mlir.constant(63 : i32) : i32
    %mirrored = llvm.sub %i63, %tid : i32
    %i6 = llvm.mlir.constant(6 : i32) : i32
    %first = llvm.shl %block, %i6 : i32
    %i = llvm.add %first, %tid : i32
    %xp = llvm.getelementptr %a0[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %xp : !llvm.ptr<1> -> f32
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %to = llvm.getelementptr %tile[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %x, %to : f32, !llvm.ptr<3>
    nvvm.cluster.arrive // stored
    nvvm.cluster.wait // awaited
    %remote = nvvm.mapa %tile, %other : !llvm.ptr<3> -> !llvm.ptr<7>
    %from = llvm.getelementptr %remote[%mirrored] : (!llvm.ptr<7>, i32) -> !llvm.ptr<7>, f32
    %y = llvm.load %from : !llvm.ptr<7> -> f32
    nvvm.cluster.arrive {aligned} // read
    nvvm.cluster.wait {aligned} // seen
    %yp = llvm.getelementptr %a1[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %y, %yp : f32, !llvm.ptr<1>)");

static std::string withRows(const std::string &text) {
  return test::with(
      text, ") attributes {",
      ", %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}) attributes "
      "{kern.tensor_maps = [#kern.tensor_map<buffer 0, f32, sizes [16, 32], strides [128], box [2, 32], swizzle 0>], ");
}

const std::string test::multicastRing = withRows(clusterKernel(4, 64, "2048, 512", 2, R"(
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %cluster = nvvm.read.ptx.sreg.clusterid.x : i32
    %lane = llvm.and %tid, %i31 : i32
    %both = llvm.mlir.constant(3 : i16) : i16
    %i2 = llvm.mlir.constant(2 : i32) : i32
    %i3 = llvm.mlir.constant(3 : i32) : i32
    %i8 = llvm.mlir.constant(8 : i32) : i32
    %bytes = llvm.mlir.constant(512 : i32) : i32
    %memory = llvm.mlir.addressof @dynamic : !llvm.ptr<3>
    %full = llvm.getelementptr %memory[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %empty = llvm.getelementptr %full[1] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i64
    %isOne = llvm.icmp "eq" %tid, %i0 : i32
    llvm.cond_br %isOne, ^init, ^ready
  ^init:
    nvvm.mbarrier.init %full, %i1 : !llvm.ptr<3>, i32
    nvvm.mbarrier.init %empty, %i2 : !llvm.ptr<3>, i32 // two
    nvvm.fence.mbarrier.init // initialised
    llvm.br ^ready
  ^ready:
    nvvm.cluster.arrive.relaxed // known
    nvvm.cluster.wait // met
    llvm.cond_br %isLow, ^copies, ^adds
  ^copies:
    llvm.cond_br %isOne, ^fill(%i0 : i32), ^end
  ^fill(%turn: i32):
    %parity = llvm.xor %turn, %i1 : i32
    nvvm.mbarrier.try_wait.parity %empty, %parity, %i16 : !llvm.ptr<3>, i32, i32 // empty
    nvvm.mbarrier.arrive.expect_tx %full, %bytes : !llvm.ptr<3>, i32 // announced
    %c8 = llvm.shl %cluster, %i3 : i32
    %t4 = llvm.shl %turn, %i2 : i32
    %r2 = llvm.shl %rank, %i1 : i32
    %ofTurn = llvm.add %c8, %t4 : i32
    %row = llvm.add %ofTurn, %r2 : i32
    %half = llvm.shl %rank, %i8 : i32
    %to = llvm.getelementptr %memory[%half] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %toAll = llvm.addrspacecast %to : !llvm.ptr<3> to !llvm.ptr<7>
    nvvm.cp.async.bulk.tensor.shared.cluster.global %toAll, %map, %full, box[%i0, %row] multicast_mask = %both : !llvm.ptr<7>, !llvm.ptr
    %next = llvm.add %turn, %i1 : i32
    %more = llvm.icmp "ult" %next, %i2 : i32
    llvm.cond_br %more, ^fill(%next : i32), ^end
  ^adds:
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %own = nvvm.mapa %empty, %rank : !llvm.ptr<3> -> !llvm.ptr<7>
    %otherRank = llvm.xor %rank, %i1 : i32
    %other = nvvm.mapa %empty, %otherRank : !llvm.ptr<3> -> !llvm.ptr<7>
    %leads = llvm.icmp "eq" %lane, %i0 : i32
    llvm.br ^drain(%i0, %zero : i32, f32)
  ^drain(%turnD: i32, %sum: f32):
    nvvm.mbarrier.try_wait.parity %full, %turnD, %i16 : !llvm.ptr<3>, i32, i32 // filled
    %p0 = llvm.getelementptr %memory[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    %p1 = llvm.getelementptr %p0[32] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
    %p2 = llvm.getelementptr %p0[64] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
    %p3 = llvm.getelementptr %p0[96] : (!llvm.ptr<3>) -> !llvm.ptr<3>, f32
    %x0 = llvm.load %p0 : !llvm.ptr<3> -> f32
    %x1 = llvm.load %p1 : !llvm.ptr<3> -> f32
    %x2 = llvm.load %p2 : !llvm.ptr<3> -> f32
    %x3 = llvm.load %p3 : !llvm.ptr<3> -> f32
    %s0 = llvm.fadd %sum, %x0 : f32
    %s1 = llvm.fadd %s0, %x1 : f32
    %s2 = llvm.fadd %s1, %x2 : f32
    %s3 = llvm.fadd %s2, %x3 : f32
    nvvm.bar.warp.sync %all : i32
    llvm.cond_br %leads, ^free, ^freed
  ^free:
    nvvm.mbarrier.arrive %own {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7> // own
    nvvm.mbarrier.arrive %other {scope = #nvvm.mem_scope<cluster>} : !llvm.ptr<7> // other
    llvm.br ^freed
  ^freed:
    %nextD = llvm.add %turnD, %i1 : i32
    %moreD = llvm.icmp "ult" %nextD, %i2 : i32
    llvm.cond_br %moreD, ^drain(%nextD, %s3 : i32, f32), ^write
  ^write:
    %first = llvm.shl %block, %i5 : i32
    %i = llvm.add %first, %lane : i32
    %yp = llvm.getelementptr %a1[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %s3, %yp : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    nvvm.cluster.arrive // done
    nvvm.cluster.wait // left)",
                                                               544));
