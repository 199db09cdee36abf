// Encodes tensor maps, with the function of the driver that is looked up when the first kernel needs one.
#include "runtime/device/cuda/tensor_maps.h"

#include "runtime/device/cuda/check.h"

#include <array>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>

namespace stretto::runtime {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);
constexpr size_t mostRank = std::size(stretto_tensor_map{}.sizes);

// The function of the driver, which nothing here is linked to.
Encode findEncode() {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned since = 12000; // the version of CUDA that has it in this form
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, since, cudaEnableDefault, &found),
        "look for bulk tensor copies in the driver");
  if (found != cudaDriverEntryPointSuccess || !function)
    throw Error("the program needs a driver that knows bulk tensor copies (CUDA 12.0 or newer), but this one does not");
  return reinterpret_cast<Encode>(function);
}

CUtensorMapDataType typeOf(int32_t dtype) {
  switch (dtype) {
  case STRETTO_F64:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  case STRETTO_BF16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  default:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  }
}

CUtensorMapSwizzle swizzleOf(int64_t bytes) {
  switch (bytes) {
  case 32:
    return CU_TENSOR_MAP_SWIZZLE_32B;
  case 64:
    return CU_TENSOR_MAP_SWIZZLE_64B;
  case 128:
    return CU_TENSOR_MAP_SWIZZLE_128B;
  default:
    return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

template <typename Number> std::array<Number, mostRank> as(const int64_t (&numbers)[mostRank]) {
  std::array<Number, mostRank> copies;
  std::copy(std::begin(numbers), std::end(numbers), copies.begin());
  return copies;
}

CUtensorMap encode(const stretto_kernel &kernel, const stretto_tensor_map &map, void *address) {
  static const Encode encodeTiled = findEncode();
  const auto sizes = as<cuuint64_t>(map.sizes), strides = as<cuuint64_t>(map.strides);
  const auto box = as<cuuint32_t>(map.box);
  constexpr std::array<cuuint32_t, mostRank> each = {1, 1, 1, 1, 1};
  CUtensorMap made;
  const CUresult status =
      encodeTiled(&made, typeOf(map.dtype), static_cast<cuuint32_t>(map.rank), address, sizes.data(),
                  strides.data() + 1, box.data(), each.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, swizzleOf(map.swizzle),
                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw Error(fmt::format("cannot make a tensor map of the kernel '{}': buffer {} at {}, sizes [{}], boxes [{}]: "
                            "error {} of the driver",
                            kernel.name, map.buffer, address, fmt::join(std::span(map.sizes, map.rank), ", "),
                            fmt::join(std::span(map.box, map.rank), ", "), static_cast<int>(status)));
  return made;
}

} // namespace

std::vector<CUtensorMap> makeTensorMaps(const stretto_kernel &kernel, const std::vector<void *> &buffers) {
  std::vector<CUtensorMap> maps;
  for (const stretto_tensor_map &map : std::span(kernel.maps, static_cast<size_t>(kernel.map_count)))
    maps.push_back(encode(kernel, map, buffers[map.buffer]));
  return maps;
}

} // namespace stretto::runtime
