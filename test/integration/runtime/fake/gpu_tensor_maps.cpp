// Tensor maps of the made-up GPU: what CUDA's driver refuses is refused, and a map remembers what it was made of.
#include "test/integration/runtime/fake/gpu_tensor_maps.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace {

size_t bytesOf(CUtensorMapDataType type) {
  return type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64 ? 8 : type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 ? 4 : 2;
}
size_t bytesOf(CUtensorMapSwizzle swizzle) { return swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : size_t(16) << swizzle; }

bool isMultiple(uint64_t number, uint64_t of) { return number % of == 0; }

CUresult encodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                     const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box, const cuuint32_t *steps,
                     CUtensorMapInterleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                     CUtensorMapFloatOOBfill) {
  if (rank < 1 || rank > 5 || !isMultiple(reinterpret_cast<uintptr_t>(address), 16))
    return CUDA_ERROR_INVALID_VALUE;
  size_t extent = sizes[0] * bytesOf(type);
  for (cuuint32_t i = 0; i < rank; ++i) {
    if (sizes[i] < 1 || box[i] < 1 || box[i] > 256 || steps[i] != 1)
      return CUDA_ERROR_INVALID_VALUE;
    if (i > 0 && (strides[i - 1] == 0 || !isMultiple(strides[i - 1], 16)))
      return CUDA_ERROR_INVALID_VALUE;
    extent += i > 0 ? (sizes[i] - 1) * strides[i - 1] : 0;
  }
  const size_t row = box[0] * bytesOf(type);
  if (!isMultiple(row, 16) || (bytesOf(swizzle) && row > bytesOf(swizzle)))
    return CUDA_ERROR_INVALID_VALUE;
  const FakeTensorMap made{address, extent};
  static_assert(sizeof(made) <= sizeof(*map));
  std::memcpy(map, &made, sizeof(made));
  return CUDA_SUCCESS;
}

} // namespace

FakeTensorMap readTensorMap(const void *map) {
  FakeTensorMap made;
  std::memcpy(&made, map, sizeof(made));
  return made;
}

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                                        cudaDriverEntryPointQueryResult *found) {
  const bool known = std::string_view(name) == "cuTensorMapEncodeTiled";
  *function = known ? reinterpret_cast<void *>(encodeTiled) : nullptr;
  *found = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
