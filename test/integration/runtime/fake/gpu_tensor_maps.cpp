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

} // namespace

FakeTensorMap readTensorMap(const void *map) {
  FakeTensorMap made;
  std::memcpy(&made, map, sizeof(made));
  return made;
}

extern "C" CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                           const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
                                           const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                           CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                           CUtensorMapFloatOOBfill fill) {
  if (rank < 1 || rank > 5 || !isMultiple(reinterpret_cast<uintptr_t>(address), 16) ||
      !isMultiple(reinterpret_cast<uintptr_t>(map), 64) || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
      fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    return CUDA_ERROR_INVALID_VALUE;
  for (cuuint32_t i = 0; i < rank; ++i)
    if (sizes[i] < 1 || box[i] < 1 || box[i] > 256 || steps[i] != 1)
      return CUDA_ERROR_INVALID_VALUE;
  for (cuuint32_t i = 0; i + 1 < rank; ++i)
    if (strides[i] == 0 || !isMultiple(strides[i], 16))
      return CUDA_ERROR_INVALID_VALUE;
  const size_t row = box[0] * bytesOf(type);
  if (!isMultiple(row, 16) || (bytesOf(swizzle) && row > bytesOf(swizzle)))
    return CUDA_ERROR_INVALID_VALUE;
  FakeTensorMap made;
  made.address = address;
  made.bytes = sizes[0] * bytesOf(type);
  for (cuuint32_t i = 0; i + 1 < rank; ++i)
    made.bytes += (sizes[i + 1] - 1) * strides[i];
  std::copy_n(sizes, rank, made.sizes.begin());
  std::copy_n(strides, rank - 1, made.strides.begin());
  std::copy_n(box, rank, made.box.begin());
  made.rank = static_cast<uint8_t>(rank);
  made.type = static_cast<uint8_t>(type);
  made.swizzle = static_cast<uint8_t>(swizzle);
  made.promotion = static_cast<uint8_t>(promotion);
  static_assert(sizeof(made) <= sizeof(*map));
  std::memcpy(map, &made, sizeof(made));
  return CUDA_SUCCESS;
}

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                                        cudaDriverEntryPointQueryResult *found) {
  const bool known = std::string_view(name) == "cuTensorMapEncodeTiled";
  *function = known ? reinterpret_cast<void *>(cuTensorMapEncodeTiled) : nullptr;
  *found = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
