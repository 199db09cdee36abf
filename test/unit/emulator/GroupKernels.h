//===- GroupKernels.h - asynchronous matmuls of a warpgroup, written by hand ---===//
#pragma once

#include <cstdint>
#include <string>

namespace stretto::test {

/// Rows of A or columns of B (`rows`), of `inner` bf16 each, as they lie in shared memory.
struct SharedOperand {
  int rows, inner;
  int swizzle;     // bytes: 32, 64, 128; 0: none
  bool transposed; // M- or N-major

  int bytes() const { return 2 * rows * inner; }
  /// Byte of a number.
  int placeOf(int row, int term) const;
  /// The part of a matrix descriptor that does not depend on where it lies.
  uint64_t descriptor() const;
};

/// a2 = a0 a1' for A of 64 rows: f32 [64,N], one warpgroup. a0 and a1 hold the operands byte by byte as they are to
/// lie in shared memory. Comments: "// written", "// visible", "// ready", "// committed", "// awaited".
std::string groupMatmul(const SharedOperand &a, const SharedOperand &b);

} // namespace stretto::test
