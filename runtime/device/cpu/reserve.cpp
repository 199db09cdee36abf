// The memory that MKL takes for matmuls: taken before a program runs, and counted.
#include "runtime/device/cpu/reserve.h"

#include "runtime/core/threads.h"
#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/attention_step.h"
#include "runtime/device/cpu/matmul.h"

#include <algorithm>
#include <cstddef>

namespace stretto::runtime {
namespace {

// MKL works on pieces of k; measured: its buffers do not grow beyond this.
constexpr int64_t largestDepth = 1024;

int64_t operandElements(const ProductShape &shape) { return std::max(shape.m, shape.n) * shape.k; }

std::vector<ProductShape> shapesOf(const ReserveOp &op) {
  std::set<ProductShape> shapes;
  for (const MatmulOp &matmul : op.matmuls)
    collectShapes(matmul, shapes);
  for (const AttentionOp &attention : op.attention)
    collectShapes(attention, shapes);
  for (const AttentionGradOp &attention : op.attentionGrad)
    collectShapes(attention, shapes);
  for (const AttentionStepOp &attention : op.attentionStep)
    collectShapes(attention, shapes);
  std::set<ProductShape> capped;
  for (ProductShape shape : shapes) {
    shape.k = std::min(shape.k, largestDepth);
    capped.insert(shape);
  }
  std::vector<ProductShape> list(capped.begin(), capped.end());
  std::sort(list.begin(), list.end(),
            [](const ProductShape &a, const ProductShape &b) { return (a.m + a.n) * a.k > (b.m + b.n) * b.k; });
  return list;
}

template <typename Real> void multiplyOnce(const ProductShape &shape, const void *operand, void *result) {
  const Real *data = static_cast<const Real *>(operand);
  multiply<Real>(shape.m, shape.n, shape.k, {data, shape.transposeA ? shape.m : shape.k, shape.transposeA},
                 {data, shape.transposeB ? shape.k : shape.n, shape.transposeB}, 0, static_cast<Real *>(result),
                 shape.n);
}

} // namespace

void reserveForProducts(const ReserveOp &op) {
  const std::vector<ProductShape> shapes = shapesOf(op);
  int64_t operand = 0, result = 0;
  for (const ProductShape &shape : shapes) {
    operand = std::max(operand, operandElements(shape) * elementBytes(shape.dtype));
    result = std::max(result, shape.m * shape.n * elementBytes(shape.dtype));
  }
  const std::vector<std::byte> zeros(operand);
  mkl_serv_free_buffers();
  mkl_serv_peak_mem_usage(peakEnable);
  mkl_serv_peak_mem_usage(peakReset);
  onEachThread([&](int thread) {
    std::vector<std::byte> mine(result);
    for (const ProductShape &shape : shapes) {
      if (!shape.shared && thread != 0)
        continue;
      if (shape.dtype == STRETTO_F64)
        multiplyOnce<double>(shape, zeros.data(), mine.data());
      else
        multiplyOnce<float>(shape, zeros.data(), mine.data());
    }
  });
}

int64_t productMemoryPeak() { return mkl_serv_peak_mem_usage(peakRead); }

} // namespace stretto::runtime
