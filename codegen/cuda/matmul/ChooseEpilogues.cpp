//===- ChooseEpilogues.cpp - which kernels lie in matmuls on tensor cores -----------===//
//
// The times are those of an H200, as in docs/kernels-cuda.md.
#include "codegen/cuda/EstimatedGpu.h"
#include "codegen/cuda/Passes.h"
#include "codegen/cuda/matmul/MatmulKernel.h"
#include "codegen/cuda/matmul/MatmulTiling.h"
#include "codegen/rows/BytesMoved.h"
#include "codegen/rows/Epilogues.h"
#include "passes/support/ParameterLayout.h"

#include "ir/seq/TensorBytes.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace stretto::codegen {
#define GEN_PASS_DEF_CHOOSECUDAEPILOGUES
#include "codegen/cuda/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// As many columns as the sums of a tile have registers for: the fewer strips there are, the less often operands are
/// read. Rows of several sequences lie in one tile, so that few tokens of each do no harm; steps of generation have
/// one.
static constexpr EpilogueLimits tensorCoreStrips{
    /*wantedColumns=*/MatmulTiling::mostTileColumns,
    /*mostColumns=*/MatmulTiling::mostTileColumns,
    /*leastRows=*/4,
    /*leastStrips=*/1,
    /*leastDepth=*/1,
    /*transposedUnit=*/MatmulTiling::columnUnit(true),
    /*rowsUnit=*/MatmulTiling::columnUnit(false),
    /*operandUnit=*/MatmulTiling::operandUnit,
};

// Operations of the library's matmuls in a nanosecond; nanoseconds until a kernel has its first operands, and between
// two kernels of a graph.
static constexpr double libraryFlops = 650e3, start = 700, betweenKernels = 1000;

/// Tiles of the largest form that there are rows and columns for.
static int64_t largestTiles(kern::MatmulOp op) {
  auto [batch, time] = op.getRows();
  return llvm::divideCeil(batch * time, MatmulTiling::mostTileRows) *
         llvm::divideCeil(op.getColumns(), MatmulTiling::mostTileColumns);
}

/// The library's matmul, then the kernel.
static double timeApart(Operation *matmul, kern::RowwiseOp kernel, double flops) {
  auto bytes = static_cast<double>(bytesOfOperands(matmul) + bytesOf(matmul->getResult(0)));
  double moving = static_cast<double>(bytesMoved(kernel)) / bytesOfNanosecond;
  return std::max(flops / libraryFlops, bytes / bytesOfNanosecond) + betweenKernels + moving;
}

namespace {
struct ChooseCudaEpiloguesPass : stretto::codegen::impl::ChooseCudaEpiloguesBase<ChooseCudaEpiloguesPass> {
  using ChooseCudaEpiloguesBase::ChooseCudaEpiloguesBase;

  void runOnOperation() final {
    auto judge = [&](Operation *matmul, kern::RowwiseOp kernel) { return this->judge(matmul, kernel); };
    chooseEpilogues(getOperation(), {{"bf16"}, tensorCoreStrips, apart, judge});
  }

  EpilogueVerdict judge(Operation *matmul, kern::RowwiseOp kernel) {
    kern::MatmulOp fused = fuseMatmul(matmul, kernel, *rowArgumentOf(kernel, matmul->getResult(0))).op;
    EpilogueVerdict verdict = judge(matmul, kernel, fused);
    fused.erase();
    return verdict;
  }

  EpilogueVerdict judge(Operation *matmul, kern::RowwiseOp kernel, kern::MatmulOp fused) {
    if (int64_t tiles = largestTiles(fused); tiles < processors && !wherePossible)
      return {llvm::formatv("the matmul has fewer tiles ({0}) than there are multiprocessors ({1})", tiles, processors),
              std::nullopt};
    std::optional<double> cycles = estimateCycles(fused, processors);
    if (!cycles)
      return {"no tile of the matmul leaves shared memory enough for the sums along rows", std::nullopt};
    if (wherePossible)
      return {};
    EpilogueTimes times{std::lround(start + *cycles / cyclesOfNanosecond),
                        std::lround(timeApart(matmul, kernel, fused.getFlops()))};
    if (times.fused < times.apart)
      return {"", times};
    auto inMicroseconds = [](int64_t time) { return static_cast<double>(time) / 1e3; };
    return {llvm::formatv("one kernel would take {0:f1} us, two take {1:f1} us, by an estimate",
                          inMicroseconds(times.fused), inMicroseconds(times.apart)),
            times};
  }
};
} // namespace
