// Where an operand of a warpgroup's matmul lies in shared memory; see "Matrix descriptor" in the PTX ISA.
#include "runtime/emulator/matrix_descriptor.h"

namespace stretto::emulator {
namespace {

constexpr uint32_t pieceBytes = 16, side = 8; // a core matrix: 8 pieces of 8 numbers

uint32_t bytesAt(uint64_t bits, uint32_t from) { return (bits >> from & 0x3fff) * pieceBytes; }

uint32_t swizzleOf(uint64_t bits) {
  constexpr uint32_t bytes[] = {pieceBytes, 128, 64, 32};
  return bytes[bits >> 62];
}

} // namespace

MatrixDescriptor::MatrixDescriptor(uint64_t bits, bool isTransposed)
    : start(bytesAt(bits, 0)), baseOffset(bits >> 49 & 7), swizzle(swizzleOf(bits)), leading(bytesAt(bits, 16)),
      stride(bytesAt(bits, 32)), isTransposed(isTransposed) {}

// Without a swizzle, core matrices lie anywhere. With one, eight rows of `swizzle` bytes belong together.
uint32_t MatrixDescriptor::offsetOf(uint32_t row, uint32_t term) const {
  const bool isPlain = swizzle == pieceBytes;
  if (!isTransposed)
    return row % side * swizzle + row / side * stride + term / side * (isPlain ? leading : pieceBytes);
  const uint32_t across = isPlain ? side : swizzle / 2; // rows that lie side by side
  return row % across / side * pieceBytes + row / across * (isPlain ? stride : leading) + term % side * swizzle +
         term / side * (isPlain ? leading : stride);
}

uint32_t MatrixDescriptor::addressOf(uint32_t row, uint32_t term) const {
  const uint32_t address = start + offsetOf(row, term);
  return address ^ ((address >> 7) & pattern()) * pieceBytes;
}

} // namespace stretto::emulator
