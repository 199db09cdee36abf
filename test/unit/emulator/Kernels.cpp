//===- Kernels.cpp - CUDA kernels as text, from their bodies -------------===//
#include "Kernels.h"

using namespace stretto;

std::string test::kernel(int blocks, int threads, const std::string &bufferBytes, int buffers, const std::string &body,
                         int dynamicShared) {
  std::string parameters;
  for (int i = 0; i < buffers; ++i)
    parameters += (i ? ", %a" : "%a") + std::to_string(i) + ": !llvm.ptr<1>";
  return R"(
gpu.module @kernels {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<2048 x i8>
  llvm.mlir.global internal @sums() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i8>
  llvm.mlir.global external @dynamic() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @__nv_expf(f32) -> f32
  llvm.func @__nv_rsqrtf(f32) -> f32
  llvm.func @square(%x: f32) -> f32 {
    %0 = llvm.fmul %x, %x : f32
    llvm.return %0 : f32
  }
  llvm.func @k()" +
         parameters + R"() attributes {gpu.kernel, nvvm.kernel, kern.kernel = "k", kern.grid = array<i64: )" +
         std::to_string(blocks) + ", 1>, kern.block = " + std::to_string(threads) +
         " : i64, kern.buffer_bytes = array<i64: " + bufferBytes + ">" +
         (dynamicShared ? ", kern.dynamic_shared_bytes = " + std::to_string(dynamicShared) + " : i64" : "") + R"(} {
    %i0 = llvm.mlir.constant(0 : i32) : i32
    %i1 = llvm.mlir.constant(1 : i32) : i32
    %i5 = llvm.mlir.constant(5 : i32) : i32
    %i16 = llvm.mlir.constant(16 : i32) : i32
    %i31 = llvm.mlir.constant(31 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x range <i32, 0, )" +
         std::to_string(threads) + R"(> : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %i32 = llvm.mlir.constant(32 : i32) : i32
    %isLow = llvm.icmp "ult" %tid, %i32 : i32
)" + body +
         R"(
    llvm.return
  }
}
)";
}

const std::string test::elementwise = kernel(3, 64, "600, 600, 600", 3, R"(
    %threads = llvm.mlir.constant(64 : i32) : i32
    %first = llvm.mul %block, %threads : i32
    %i = llvm.add %first, %tid : i32
    %n = llvm.mlir.constant(150 : i32) : i32
    %inside = llvm.icmp "slt" %i, %n : i32
    llvm.cond_br %inside, ^work, ^end
  ^work:
    %xp = llvm.getelementptr %a0[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %yp = llvm.getelementptr %a1[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %zp = llvm.getelementptr %a2[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %xp : !llvm.ptr<1> -> f32
    %y = llvm.load %yp : !llvm.ptr<1> -> f32
    %xx = llvm.fadd %x, %x : f32
    %z = llvm.fadd %xx, %y : f32
    llvm.store %z, %zp : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:)");

const std::string test::reduction = kernel(4, 128, "2048, 16", 2, R"(
    %threads = llvm.mlir.constant(128 : i32) : i32
    %first = llvm.mul %block, %threads : i32
    %i = llvm.add %first, %tid : i32
    %xp = llvm.getelementptr %a0[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %xp : !llvm.ptr<1> -> f32
    llvm.br ^fold(%i16, %x : i32, f32)
  ^fold(%offset: i32, %sum: f32):
    %other = nvvm.shfl.sync bfly %all, %sum, %offset, %i31 : f32 -> f32
    %next = llvm.fadd %sum, %other : f32
    %half = llvm.lshr %offset, %i1 : i32
    %more = llvm.icmp "ne" %half, %i0 : i32
    llvm.cond_br %more, ^fold(%half, %next : i32, f32), ^folded
  ^folded:
    %lane = llvm.and %tid, %i31 : i32
    %warp = llvm.lshr %tid, %i5 : i32
    %sums = llvm.mlir.addressof @sums : !llvm.ptr<3>
    %isFirst = llvm.icmp "eq" %lane, %i0 : i32
    llvm.cond_br %isFirst, ^store, ^stored
  ^store:
    %mine = llvm.getelementptr %sums[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    llvm.store %next, %mine : f32, !llvm.ptr<3>
    llvm.br ^stored
  ^stored:
    nvvm.barrier0
    %four = llvm.load %sums {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    %e0 = llvm.extractelement %four[%i0 : i32] : vector<4xf32>
    %i2 = llvm.mlir.constant(2 : i32) : i32
    %i3 = llvm.mlir.constant(3 : i32) : i32
    %e1 = llvm.extractelement %four[%i1 : i32] : vector<4xf32>
    %e2 = llvm.extractelement %four[%i2 : i32] : vector<4xf32>
    %e3 = llvm.extractelement %four[%i3 : i32] : vector<4xf32>
    %s0 = llvm.fadd %e0, %e1 : f32
    %s1 = llvm.fadd %e2, %e3 : f32
    %s = llvm.fadd %s0, %s1 : f32
    %isThread0 = llvm.icmp "eq" %tid, %i0 : i32
    llvm.cond_br %isThread0, ^write, ^end
  ^write:
    %yp = llvm.getelementptr %a1[%block] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %s, %yp : f32, !llvm.ptr<1>
    llvm.br ^end
  ^end:)");

const std::string test::staging = kernel(1, 64, "1024, 1024", 2, R"(
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %to = llvm.getelementptr %tile[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<4 x f32>
    %from = llvm.getelementptr %a0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    nvvm.cp.async.shared.global %to, %from, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    nvvm.barrier0
    %last = llvm.mlir.constant(63 : i32) : i32
    %r = llvm.sub %last, %tid : i32
    %theirs = llvm.getelementptr %tile[%r] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<4 x f32>
    %x = llvm.load %theirs {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    %y = llvm.shufflevector %x, %x [3, 2, 1, 0] : vector<4xf32>
    %yp = llvm.getelementptr %a1[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<4 x f32>
    llvm.store %y, %yp {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>)");

const std::string test::conversion = kernel(1, 64, "2048, 1024, 2048", 3, R"(
    %xp = llvm.getelementptr %a0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<8 x f32>
    %yp = llvm.getelementptr %a1[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<8 x bf16>
    %zp = llvm.getelementptr %a2[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<8 x f32>
    %x = llvm.load %xp {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf32>
    %y = llvm.fptrunc %x : vector<8xf32> to vector<8xbf16>
    llvm.store %y, %yp {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
    %c = llvm.mlir.constant(dense<1.5> : vector<8xbf16>) : vector<8xbf16>
    %m = llvm.fmul %y, %c : vector<8xbf16>
    %z = llvm.fpext %m : vector<8xbf16> to vector<8xf32>
    llvm.store %z, %zp {alignment = 16 : i64} : vector<8xf32>, !llvm.ptr<1>)");

/// Stores an i32 as entry `row` of the thread; names are unique by the row.
static std::string store(int row, const std::string &value, const std::string &buffer) {
  std::string n = std::to_string(row);
  return "\n    %r" + n + " = llvm.getelementptr %" + buffer + "[" + std::to_string(64 * row) +
         "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n    %p" + n + " = llvm.getelementptr %r" + n +
         "[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n    llvm.store %" + value + ", %p" + n +
         " : i32, !llvm.ptr<1>";
}

const std::string test::votes =
    kernel(1, 64, "256, 2816", 2,
           R"(
    %xp = llvm.getelementptr %a0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %xp : !llvm.ptr<1> -> f32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %positive = llvm.fcmp "ogt" %x, %zero : f32
    %ballot = nvvm.vote.sync ballot %all, %positive -> i32
    %any = nvvm.vote.sync any %all, %positive -> i1
    %every = nvvm.vote.sync all %all, %positive -> i1
    %uni = nvvm.vote.sync uni %all, %positive -> i1
    %v1 = llvm.zext %any : i1 to i32
    %v2 = llvm.zext %every : i1 to i32
    %v3 = llvm.zext %uni : i1 to i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %t = llvm.sub %tid, %three : i32
    %sum = nvvm.redux.sync add %t, %all : i32 -> i32
    %max = nvvm.redux.sync max %t, %all : i32 -> i32
    %umax = nvvm.redux.sync umax %t, %all : i32 -> i32
    %min = nvvm.redux.sync min %t, %all : i32 -> i32
    %and = nvvm.redux.sync and %t, %all : i32 -> i32
    %or = nvvm.redux.sync or %t, %all : i32 -> i32
    %xor = nvvm.redux.sync xor %t, %all : i32 -> i32)" +
               store(0, "ballot", "a1") + store(1, "v1", "a1") + store(2, "v2", "a1") + store(3, "v3", "a1") +
               store(4, "sum", "a1") + store(5, "max", "a1") + store(6, "umax", "a1") + store(7, "min", "a1") +
               store(8, "and", "a1") + store(9, "or", "a1") + store(10, "xor", "a1"));

const std::string test::shuffles = kernel(1, 64, "1536", 1,
                                          R"(
    %three = llvm.mlir.constant(3 : i32) : i32
    %seven = llvm.mlir.constant(7 : i32) : i32
    %segments = llvm.mlir.constant(0x1807 : i32) : i32
    %bfly = nvvm.shfl.sync bfly %all, %tid, %i5, %i31 : i32 -> i32
    %idx = nvvm.shfl.sync idx %all, %tid, %seven, %i31 : i32 -> i32
    %up = nvvm.shfl.sync up %all, %tid, %three, %i0 : i32 -> i32
    %down = nvvm.shfl.sync down %all, %tid, %three, %i31 : i32 -> i32
    %pair = nvvm.shfl.sync down %all, %tid, %three, %segments {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %part = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>
    %bit = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>
    %valid = llvm.zext %bit : i1 to i32)" + store(0, "bfly", "a0") +
                                              store(1, "idx", "a0") + store(2, "up", "a0") + store(3, "down", "a0") +
                                              store(4, "part", "a0") + store(5, "valid", "a0"));

const std::string test::functions = kernel(1, 64, "256, 256", 2, R"(
    %xp = llvm.getelementptr %a0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %yp = llvm.getelementptr %a1[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %x = llvm.load %xp : !llvm.ptr<1> -> f32
    %e = llvm.call @__nv_expf(%x) : (f32) -> f32
    %r = llvm.call @__nv_rsqrtf(%x) : (f32) -> f32
    %q = llvm.call @square(%x) : (f32) -> f32
    %er = llvm.fadd %e, %r : f32
    %y = llvm.fadd %er, %q : f32
    llvm.store %y, %yp : f32, !llvm.ptr<1>)");

const std::string test::neighbours = kernel(1, 64, "256", 1, R"(
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %mine = llvm.getelementptr %tile[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %mine : i32, !llvm.ptr<3>
    nvvm.bar.warp.sync %all : i32
    %other = llvm.xor %tid, %i1 : i32
    %theirs = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %x = llvm.load %theirs : !llvm.ptr<3> -> i32
    %warp = llvm.lshr %tid, %i5 : i32
    %first = llvm.getelementptr %tile[%warp] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<32 x i32>
    %base = llvm.load %first : !llvm.ptr<3> -> i32
    %again = llvm.mlir.constant(-1 : i32) : i32
    nvvm.bar.warp.sync %again : i32
    %sum = llvm.add %x, %base : i32
    llvm.store %sum, %mine : i32, !llvm.ptr<3>
    %y = llvm.load %mine : !llvm.ptr<3> -> i32)" + store(0, "y", "a0"));
