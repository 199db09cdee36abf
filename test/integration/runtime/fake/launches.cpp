// CUDA's driver as far as test/gpu/driver.py calls it. Kernels run at once, on the CPU, by functions that the test
// adds. What a driver refuses is refused, and so is a launch that is not what the kernel's table asks for, its tensor
// maps included: they must be those that the runtime makes.
#include "runtime/core/error.h"
#include "runtime/device/cuda/check.h"
#include "runtime/device/cuda/tensor_maps.h"
#include "test/integration/runtime/fake/gpu_tensor_maps.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

struct CUfunc_st {
  const stretto_kernel *kernel;
  stretto_kernel_fn run;
  int64_t chunks;
  int64_t mostDynamicShared = 48 << 10; // what a launch may ask for
};

namespace {

constexpr int64_t mostShared = 227 << 10; // of a block of sm_90

std::map<std::string, CUfunc_st, std::less<>> functions; // by symbol

// Blocks of a cluster in x, as a launch asks for them; 0 where it asks for anything else.
unsigned clusterOf(const CUlaunchConfig &config) {
  if (config.numAttrs == 0)
    return 1;
  const auto &dims = config.attrs[0].value.clusterDim;
  const bool isCluster = config.numAttrs == 1 && config.attrs[0].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  return isCluster && dims.x > 1 && dims.y == 1 && dims.z == 1 && config.gridDimX % dims.x == 0 ? dims.x : 0;
}

bool isAskedFor(const stretto_kernel &kernel, const CUlaunchConfig &config) {
  return config.gridDimX == kernel.grid[0] && config.gridDimY == kernel.grid[1] && config.gridDimZ == 1 &&
         config.blockDimX == kernel.block && config.blockDimY == 1 && config.blockDimZ == 1 &&
         clusterOf(config) == std::max<int64_t>(kernel.cluster, 1) &&
         config.sharedMemBytes == kernel.dynamic_shared_bytes;
}

// Whether a kernel gets the maps that the runtime would give it.
bool areRuntimes(const stretto_kernel &kernel, const std::vector<void *> &buffers, void *const *maps) {
  for (const CUtensorMap &expected : stretto::runtime::makeTensorMaps(kernel, buffers))
    if (readTensorMap(*maps++) != readTensorMap(&expected))
      return false;
  return true;
}

} // namespace

namespace stretto::runtime {

void check(cudaError_t status, const char *doing) {
  if (status != cudaSuccess)
    throw Error(doing);
}

} // namespace stretto::runtime

extern "C" {

// A kernel of a device image, and the function of the CPU that computes `chunks` chunks of the same.
void fake_add_kernel(const stretto_kernel *kernel, stretto_kernel_fn run, int64_t chunks) {
  functions[kernel->symbol] = {kernel, run, chunks};
}

CUresult cuGetErrorString(CUresult status, const char **text) {
  *text = status == CUDA_ERROR_INVALID_VALUE ? "invalid argument" : "another error";
  return CUDA_SUCCESS;
}
// Machine code alone: nothing here compiles PTX.
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  if (std::memcmp(image, "\177ELF", 4) != 0)
    return CUDA_ERROR_INVALID_PTX;
  *module = static_cast<CUmodule>(const_cast<void *>(image));
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *symbol) {
  const auto found = functions.find(std::string_view(symbol));
  if (!module || found == functions.end())
    return CUDA_ERROR_NOT_FOUND;
  *function = &found->second;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
      value + function->kernel->shared_bytes > mostShared)
    return CUDA_ERROR_INVALID_VALUE;
  function->mostDynamicShared = value;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **arguments, void **extra) {
  const stretto_kernel &kernel = *function->kernel;
  if (extra || !isAskedFor(kernel, *config) || config->sharedMemBytes > function->mostDynamicShared)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<void *> buffers;
  for (int64_t i = 0; i < kernel.buffers; ++i)
    buffers.push_back(*static_cast<void **>(arguments[i]));
  if (!areRuntimes(kernel, buffers, arguments + kernel.buffers))
    return CUDA_ERROR_INVALID_VALUE;
  function->run(buffers.data(), 0, function->chunks, nullptr);
  return CUDA_SUCCESS;
}

} // extern "C"
