//===- CostTest.cpp - what emulation costs; prints the figures of docs/emulator.md ----------===//
#include "EmulatedKernels.h"
#include "Kernels.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace stretto::test;

namespace {
constexpr int threads = 128, rounds = 1000;

/// A kernel whose one block does `step` for %round of 0 .. rounds - 1. %slot: 4 bytes of the thread, %row: 16 of the
/// lane, both shared; %xp and %yp: 4 bytes of the thread in buffers.
std::string repeated(const std::string &step) {
  return kernel(1, threads, "4096, 4096", 2,
                R"(
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %slot = llvm.getelementptr %tile[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %slot : i32, !llvm.ptr<3>
    %lane = llvm.and %tid, %i31 : i32
    %row = llvm.getelementptr %tile[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %all128 = llvm.mlir.constant(128 : i32) : i32
    nvvm.barrier0
    %xp = llvm.getelementptr %a0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %yp = llvm.getelementptr %a1[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %rounds = llvm.mlir.constant()" +
                    std::to_string(rounds) + R"( : i32) : i32
    llvm.br ^loop(%i0 : i32)
  ^loop(%round: i32):)" +
                    step + R"(
    %next = llvm.add %round, %i1 : i32
    %more = llvm.icmp "ult" %next, %rounds : i32
    llvm.cond_br %more, ^loop(%next : i32), ^end
  ^end:)");
}

/// Nanoseconds of one step of one thread; the best of several runs.
double cost(const std::string &step, stretto_emulator_checks checks) {
  EmulatedKernels kernels(repeated(step));
  EXPECT_TRUE(kernels.isLoaded());
  alignas(64) int32_t x[1024] = {}, y[1024] = {};
  stretto_emulator_set_seed(1);
  stretto_emulator_set_checks(checks);
  double best = 1e30;
  for (int repeat = 0; repeat < 7; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    kernels.launch("k", {x, y});
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / threads / rounds);
  }
  return best;
}

/// The bound is far above what is measured: it is there to notice a cost of another order.
void report(const char *what, const std::string &step, double bound) {
  const double none = cost(step, STRETTO_EMULATOR_CHECKS_NONE), fast = cost(step, STRETTO_EMULATOR_CHECKS_FAST),
               full = cost(step, STRETTO_EMULATOR_CHECKS_FULL);
  printf("%-28s %6.1f ns without checks, %6.1f fast, %6.1f full\n", what, none, fast, full);
  EXPECT_LT(full, bound);
}

TEST(Cost, OfOneStepOfOneThread) {
  report("nothing", "", 20);
  report("barrier", "\n nvvm.barrier0", 2000);
  report("shuffle", "\n %s = nvvm.shfl.sync bfly %all, %round, %i16, %i31 : i32 -> i32", 2000);
  report("ldmatrix of four", R"(
    %v = nvvm.ldmatrix %row {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>)",
         2000);
  report("mma.sync of 16 x 8 x 16", R"(
    %v = nvvm.mma.sync A[%round, %round, %round, %round] B[%tid, %tid] C[%zero, %zero, %zero, %zero] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>)",
         2000);
  report("read of global memory", "\n %v = llvm.load %xp : !llvm.ptr<1> -> i32", 200);
  report("write to global memory", "\n llvm.store %round, %yp : i32, !llvm.ptr<1>", 200);
  report("write of 16 bytes", R"(
    %v = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %vp = llvm.getelementptr %a1[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xi32>
    llvm.store %v, %vp : vector<4xi32>, !llvm.ptr<1>)",
         400);
  report("read of shared memory", "\n %v = llvm.load %slot : !llvm.ptr<3> -> i32", 200);
  report("barrier of 128 threads by number", "\n nvvm.barrier id = %i1 number_of_threads = %all128", 4000);
  report("write to shared memory", "\n llvm.store %round, %slot : i32, !llvm.ptr<3>", 200);
}
} // namespace
