// The memory that matmuls take, by MKL and packed: taken before a program runs, and counted.
#include "runtime/device/cpu/reserve.h"

#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/attention_step.h"
#include "runtime/device/cpu/matmul.h"
#include "runtime/device/cpu/packed_matmul.h"
#include "runtime/library/run.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <new>

namespace stretto::runtime {
namespace {

// MKL works on pieces of k; measured: its buffers do not grow beyond this.
constexpr int64_t largestDepth = 1024;

std::atomic<int64_t> packedBytes = 0; // of all threads

int64_t operandElements(const MatmulShape &shape) { return std::max(shape.m, shape.n) * shape.k; }

// What MKL computes; sets `packs` where other matmuls are packed.
std::vector<MatmulShape> shapesOf(const ReserveOp &op, bool &packs) {
  std::set<MatmulShape> shapes;
  for (const MatmulOp &matmul : op.matmuls)
    packs |= collectShapes(matmul, shapes);
  for (const AttentionOp &attention : op.attention)
    collectShapes(attention, shapes);
  for (const AttentionGradOp &attention : op.attentionGrad)
    collectShapes(attention, shapes);
  for (const AttentionStepOp &attention : op.attentionStep)
    collectShapes(attention, shapes);
  for (const LibraryOp &library : op.library)
    for (const MatmulShape &shape : matmulsOf(library))
      if (isPacked(shape))
        packs = true;
      else
        shapes.insert(shape);
  std::set<MatmulShape> capped;
  for (MatmulShape shape : shapes) {
    shape.k = std::min(shape.k, largestDepth);
    capped.insert(shape);
  }
  std::vector<MatmulShape> list(capped.begin(), capped.end());
  std::sort(list.begin(), list.end(),
            [](const MatmulShape &a, const MatmulShape &b) { return (a.m + a.n) * a.k > (b.m + b.n) * b.k; });
  return list;
}

template <typename Real> void multiplyOnce(const MatmulShape &shape, const void *operand, void *result) {
  const Real *data = static_cast<const Real *>(operand);
  multiply<Real>(shape.m, shape.n, shape.k, {data, shape.transposeA ? shape.m : shape.k, shape.transposeA},
                 {data, shape.transposeB ? shape.k : shape.n, shape.transposeB}, 0, static_cast<Real *>(result),
                 shape.n);
}

} // namespace

void reserveForMatmuls(const ReserveOp &op) {
  bool packs = false;
  const std::vector<MatmulShape> shapes = shapesOf(op, packs);
  int64_t operand = 0, result = 0;
  for (const MatmulShape &shape : shapes) {
    operand = std::max(operand, operandElements(shape) * elementBytes(shape.dtype));
    result = std::max(result, shape.m * shape.n * elementBytes(shape.dtype));
  }
  const std::vector<std::byte> zeros(operand);
  std::vector<std::byte> results(result * threadCount()); // not by the threads: they must not throw
  mkl_serv_free_buffers();
  mkl_serv_peak_mem_usage(peakEnable);
  mkl_serv_peak_mem_usage(peakReset);
  packedBytes = 0;
  std::atomic<bool> isOut = false;
  onEachThread([&](int thread) {
    if (packs) {
      const int64_t bytes = reservePacking();
      packedBytes += bytes;
      isOut = isOut || bytes == 0;
    }
    std::byte *const mine = results.data() + thread * result;
    for (const MatmulShape &shape : shapes) {
      if (!shape.shared && thread != 0)
        continue;
      if (shape.dtype == STRETTO_F64)
        multiplyOnce<double>(shape, zeros.data(), mine);
      else
        multiplyOnce<float>(shape, zeros.data(), mine);
    }
  });
  if (isOut)
    throw std::bad_alloc();
}

int64_t matmulMemoryPeak() { return mkl_serv_peak_mem_usage(peakRead) + packedBytes; }

} // namespace stretto::runtime
