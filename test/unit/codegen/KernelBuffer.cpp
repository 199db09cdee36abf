//===- KernelBuffer.cpp - memory that a kernel under test reads or writes -------===//
#include "KernelBuffer.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/ErrorHandling.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace stretto::test;

static constexpr char untouched = static_cast<char>(0xff); // NaN in each type of real

KernelBuffer::KernelBuffer(Type type)
    : element(getElementTypeOrSelf(type)), count(cast<RankedTensorType>(type).getNumElements()),
      size(count * element.getIntOrFloatBitWidth() / 8),
      bytes(static_cast<char *>(std::aligned_alloc(64, (size + guard + 63) / 64 * 64))) {
  std::memset(bytes, untouched, size + guard);
}

KernelBuffer::~KernelBuffer() { std::free(bytes); }

/// Numbers are of the type already: the upper half of an f32 is the bf16.
void KernelBuffer::set(const Numbers &numbers) {
  for (size_t i = 0; i < count; ++i) {
    double number = numbers[i];
    if (element.isF64())
      reinterpret_cast<double *>(bytes)[i] = number;
    else if (element.isF32())
      reinterpret_cast<float *>(bytes)[i] = static_cast<float>(number);
    else if (element.isBF16())
      reinterpret_cast<uint16_t *>(bytes)[i] = std::bit_cast<uint32_t>(static_cast<float>(number)) >> 16;
    else if (number == std::trunc(number))
      reinterpret_cast<int32_t *>(bytes)[i] = static_cast<int32_t>(number);
    else
      llvm::report_fatal_error("a fraction for a kernel that reads whole numbers");
  }
}

Numbers KernelBuffer::get() const {
  Numbers numbers(count);
  for (size_t i = 0; i < count; ++i) {
    if (element.isF64())
      numbers[i] = reinterpret_cast<double *>(bytes)[i];
    else if (element.isF32())
      numbers[i] = reinterpret_cast<float *>(bytes)[i];
    else if (element.isBF16())
      numbers[i] = std::bit_cast<float>(static_cast<uint32_t>(reinterpret_cast<uint16_t *>(bytes)[i]) << 16);
    else
      numbers[i] = reinterpret_cast<int32_t *>(bytes)[i];
  }
  for (size_t i = size; i < size + guard; ++i)
    if (bytes[i] != untouched)
      llvm::report_fatal_error("a kernel wrote behind a buffer");
  return numbers;
}
