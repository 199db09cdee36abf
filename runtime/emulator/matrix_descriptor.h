// Where an operand of a warpgroup's matmul lies in shared memory; see "Matrix descriptor" in the PTX ISA.
#pragma once

#include <cstdint>

namespace stretto::emulator {

// Rows are those of A, columns those of B; both have 16 terms of 2 bytes. Pieces of 8 numbers lie side by side: terms
// of a row, or rows of a term if the operand is transposed.
class MatrixDescriptor {
public:
  MatrixDescriptor(uint64_t bits, bool isTransposed);

  // Address of the piece that begins with this row and this term.
  uint32_t addressOf(uint32_t row, uint32_t term) const;

  const uint32_t start;      // address
  const uint32_t baseOffset; // of the pattern of a swizzle
  const uint32_t swizzle;    // bytes of the rows in which pieces change places; 16: they do not
  // Bit 7 and some above it say which pieces change places: those of the start must be 0, or the base offset is needed.
  bool isAligned() const { return ((start >> 7) & pattern()) == 0; }

private:
  uint32_t pattern() const { return swizzle / 16 - 1; }
  uint32_t offsetOf(uint32_t row, uint32_t term) const;

  const uint32_t leading, stride; // bytes
  const bool isTransposed;
};

} // namespace stretto::emulator
