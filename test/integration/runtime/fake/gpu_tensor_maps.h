// Tensor maps of the made-up GPU.
#pragma once

#include <array>
#include <cstddef>
#include <cuda.h>
#include <cuda_runtime_api.h>

// What a map was made of. Behind the rank, sizes, strides and boxes are 0.
struct FakeTensorMap {
  void *address = nullptr; // where the tensor begins
  size_t bytes = 0;        // how far it reaches
  std::array<uint64_t, 5> sizes = {};
  std::array<uint64_t, 4> strides = {}; // in bytes, from dimension 1 on
  std::array<uint16_t, 5> box = {};
  uint8_t rank = 0, type = 0, swizzle = 0, promotion = 0;

  bool operator==(const FakeTensorMap &) const = default;
};
FakeTensorMap readTensorMap(const void *map);
