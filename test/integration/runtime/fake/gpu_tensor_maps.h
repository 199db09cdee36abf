// Tensor maps of the made-up GPU.
#pragma once

#include <cstddef>
#include <cuda.h>
#include <cuda_runtime_api.h>

// What a map was made of: where the tensor begins, and how far it reaches.
struct FakeTensorMap {
  void *address;
  size_t bytes;
};
FakeTensorMap readTensorMap(const void *map);
