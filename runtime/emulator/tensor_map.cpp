// A tensor as bulk tensor copies see it: what stands in place of the 128 bytes that a driver makes.
#include "runtime/emulator/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace stretto::emulator {

static constexpr uint32_t pieceBytes = 16;

uint32_t TensorMap::rowBytes() const { return static_cast<uint32_t>(shape.box[0] * shape.strides[0]); }

uint32_t TensorMap::rows() const {
  int64_t count = 1;
  for (int32_t i = 1; i < shape.rank; ++i)
    count *= shape.box[i];
  return static_cast<uint32_t>(count);
}

TensorMap::Row TensorMap::row(const Coordinates &from, uint32_t number) const {
  int64_t offset = from[0] * shape.strides[0];
  bool isInside = true;
  for (int32_t i = 1; i < shape.rank; ++i) {
    const int64_t at = from[i] + number % shape.box[i];
    number /= shape.box[i];
    isInside &= at >= 0 && at < shape.sizes[i];
    offset += at * shape.strides[i];
  }
  const int64_t before = std::clamp<int64_t>(-from[0], 0, shape.box[0]),
                inside = std::clamp<int64_t>(shape.sizes[0] - from[0], before, shape.box[0]);
  return {begin + offset, before * shape.strides[0], (isInside ? inside : before) * shape.strides[0]};
}

void TensorMap::forEachRow(const Coordinates &from, const std::function<void(const char *, uint32_t)> &visit) const {
  for (uint32_t i = 0; i < rows(); ++i)
    if (const Row each = row(from, i); each.first < each.end)
      visit(each.address + each.first, each.end - each.first);
}

uint64_t TensorMap::placeOf(uint64_t offset, uint32_t byte) const {
  const uint64_t pattern = shape.swizzle ? shape.swizzle / pieceBytes - 1 : 0, plain = offset + byte;
  return plain ^ ((plain >> 7) & pattern) * pieceBytes;
}

void TensorMap::copy(const Coordinates &from, char *window, char *to) const {
  std::vector<char> line(rowBytes());
  for (uint32_t i = 0; i < rows(); ++i) {
    const Row each = row(from, i);
    std::fill(line.begin(), line.end(), 0);
    if (each.first < each.end)
      std::memcpy(line.data() + each.first, each.address + each.first, each.end - each.first);
    for (uint32_t piece = 0; piece < line.size(); piece += pieceBytes)
      std::memcpy(window + placeOf(to - window, i * rowBytes() + piece), line.data() + piece, pieceBytes);
  }
}

void TensorMap::store(const Coordinates &to, const char *window, const char *from) const {
  std::vector<char> line(rowBytes());
  for (uint32_t i = 0; i < rows(); ++i) {
    for (uint32_t piece = 0; piece < line.size(); piece += pieceBytes)
      std::memcpy(line.data() + piece, window + placeOf(from - window, i * rowBytes() + piece), pieceBytes);
    if (const Row each = row(to, i); each.first < each.end)
      std::memcpy(each.address + each.first, line.data() + each.first, each.end - each.first);
  }
}

} // namespace stretto::emulator
