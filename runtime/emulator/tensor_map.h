// A tensor as bulk tensor copies see it: what stands in place of the 128 bytes that a driver makes.
#pragma once

#include "runtime/abi/abi.h"

#include <array>
#include <cstdint>
#include <functional>

namespace stretto::emulator {

// As CUDA counts them: the one of elements side by side first. Unused ones are 0.
using Coordinates = std::array<int64_t, 5>;

class TensorMap {
public:
  TensorMap(const stretto_tensor_map &shape, void *address) : shape(shape), begin(static_cast<char *>(address)) {}

  uint32_t boxBytes() const { return rowBytes() * rows(); }
  // Calls `visit` with the address and the bytes of each part of the box that lies inside of the tensor.
  void forEachRow(const Coordinates &from, const std::function<void(const char *, uint32_t)> &visit) const;
  // The box that begins there comes to `to`; what lies outside of the tensor is 0. Pieces of 16 bytes change places by
  // the bits of their address, counted from `window`.
  void copy(const Coordinates &from, char *window, char *to) const;
  // The other way. What would lie outside of the tensor is not written.
  void store(const Coordinates &to, const char *window, const char *from) const;

  const stretto_tensor_map &shape;

private:
  struct Row {
    char *address;      // of its first element, inside of the tensor or not
    int64_t first, end; // bytes that lie inside
  };
  // Where a byte of the box lies, from the window on, if the box begins at `offset` there.
  uint64_t placeOf(uint64_t offset, uint32_t byte) const;
  uint32_t rowBytes() const;
  uint32_t rows() const;
  Row row(const Coordinates &from, uint32_t number) const;

  char *begin;
};

} // namespace stretto::emulator
