// Libraries and kernels of the made-up GPU. A library is loaded when one of its kernels is needed, as CUDA's are: not
// before, and not while a stream is captured. The machine code "code of sm_90a" is the program's own kernels on the
// CPU; any text is refused by a compiler that says why. STRETTO_FAKE_GPU_FAULT=N: the N-th kernel that runs breaks the
// device for good. STRETTO_FAKE_GPU_CLUSTER=N: the largest clusters that there is room for have N blocks, 8 if not
// given.
#include "runtime/abi/abi.h"
#include "test/integration/runtime/fake/gpu.h"
#include "test/integration/runtime/fake/gpu_tensor_maps.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <list>
#include <string_view>
#include <vector>

struct CUkern_st {
  const stretto_kernel *kernel;
  cudaLibrary_t library;
  size_t mostDynamicShared = 48 << 10; // what a launch may ask for
};
struct CUlib_st {
  const char *code;
  void **compilerValues;
  bool loaded = false;
  std::list<CUkern_st> kernels = {};
};

namespace {

const stretto_program &program() {
  return *static_cast<const stretto_program *>(dlsym(RTLD_DEFAULT, "stretto_compiled_program"));
}

cudaError_t load(CUlib_st &library) {
  if (library.loaded)
    return cudaSuccess;
  if (const cudaError_t refused = refuseInCapture(); refused != cudaSuccess)
    return refused;
  library.loaded = std::string_view(library.code) == "code of sm_90a";
  if (library.loaded)
    return cudaSuccess;
  if (library.compilerValues)
    std::strncpy(static_cast<char *>(library.compilerValues[0]), "line 1; fatal: this is no PTX",
                 reinterpret_cast<size_t>(library.compilerValues[1]));
  return cudaErrorInvalidPtx;
}

// Blocks of a cluster in x, as a launch asks for them; 0 where it asks for anything else.
unsigned clusterOf(const cudaLaunchConfig_t &config) {
  if (config.numAttrs == 0)
    return 1;
  const cudaLaunchAttribute &cluster = config.attrs[0];
  const auto &dims = cluster.val.clusterDim;
  const bool isCluster = config.numAttrs == 1 && cluster.id == cudaLaunchAttributeClusterDimension;
  return isCluster && dims.x > 1 && dims.y == 1 && dims.z == 1 && config.gridDim.x % dims.x == 0 ? dims.x : 0;
}

// Of a buffer, as far as the kernel says.
size_t bytesTouched(const stretto_kernel &kernel, int64_t blocks, size_t buffer) {
  const int64_t all = kernel.buffer_bytes ? kernel.buffer_bytes[buffer] : 1;
  const int64_t ofBlock = kernel.chunk_bytes ? kernel.chunk_bytes[buffer] : 0;
  return static_cast<size_t>(ofBlock ? std::min(all, blocks * ofBlock) : all);
}

// `blocks`: in x; fewer than all work on rows from where their buffers begin.
void run(const stretto_kernel &kernel, int64_t blocks, const std::vector<void *> &buffers) {
  static const size_t fault = numberIn("STRETTO_FAKE_GPU_FAULT", 0);
  static size_t runs = 0;
  if (++runs == fault)
    return breakDevice(cudaErrorIllegalAddress);
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!isAllocated(buffers[i], bytesTouched(kernel, blocks, i)))
      return breakDevice(cudaErrorIllegalAddress);
  std::vector<char> scratch(kernel.scratch_bytes);
  kernel.function(buffers.data(), 0, blocks * kernel.grid[1], scratch.data());
}

// Whether a map is of what lies in a buffer.
bool fits(const FakeTensorMap &map, const void *buffer) {
  return map.address == buffer && isAllocated(buffer, map.bytes);
}

} // namespace

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, cudaJitOption *, void **values,
                                unsigned count, cudaLibraryOption *, void **, unsigned) {
  *library = new CUlib_st{static_cast<const char *>(code), count == 2 ? values : nullptr};
  return cudaSuccess;
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) { return delete library, cudaSuccess; }
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  const stretto_kernel *begin = program().kernels, *end = begin + program().kernel_count;
  const auto *found =
      std::find_if(begin, end, [&](const stretto_kernel &one) { return !std::strcmp(one.symbol, name); });
  if (found == end)
    return cudaErrorSymbolNotFound;
  *kernel = &library->kernels.emplace_back(CUkern_st{found, library});
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *function) {
  *attributes = {};
  return load(*static_cast<const CUkern_st *>(function)->library);
}
cudaError_t cudaFuncSetAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  auto &handle = *static_cast<CUkern_st *>(const_cast<void *>(function));
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize ||
      value + handle.kernel->shared_bytes > static_cast<int64_t>(properties.sharedMemPerBlockOptin))
    return cudaErrorInvalidValue;
  handle.mostDynamicShared = static_cast<size_t>(value);
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *, const cudaLaunchConfig_t *config) {
  const unsigned cluster = clusterOf(*config);
  *count = cluster && cluster <= numberIn("STRETTO_FAKE_GPU_CLUSTER", 8);
  return cluster ? cudaSuccess : cudaErrorInvalidClusterSize;
}
// The kernels of LibTorch are not here.
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t) {
  breakDevice(cudaErrorInvalidDeviceFunction, "a kernel was launched that the made-up GPU does not have");
  return cudaErrorInvalidDeviceFunction;
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **arguments) {
  const auto &[kernel, library, mostDynamicShared] = *static_cast<const CUkern_st *>(function);
  if (const cudaError_t status = load(*library); status != cudaSuccess)
    return status;
  const bool isPart = kernel->chunk_rows > 0 && config->gridDim.x < kernel->grid[0];
  if ((config->gridDim.x != kernel->grid[0] && !isPart) || config->gridDim.y != kernel->grid[1] ||
      config->blockDim.x != kernel->block || clusterOf(*config) != std::max<int64_t>(kernel->cluster, 1) ||
      static_cast<int64_t>(config->dynamicSmemBytes) != kernel->dynamic_shared_bytes)
    return cudaErrorInvalidConfiguration;
  if (config->dynamicSmemBytes > mostDynamicShared)
    return cudaErrorInvalidValue;
  std::vector<void *> buffers(kernel->buffers);
  for (int64_t i = 0; i < kernel->buffers; ++i)
    buffers[i] = *static_cast<void **>(arguments[i]);
  for (int64_t i = 0; i < kernel->map_count; ++i)
    if (!fits(readTensorMap(arguments[kernel->buffers + i]), buffers[kernel->maps[i].buffer]))
      return cudaErrorInvalidValue;
  return enqueue(config->stream, [kernel, blocks = config->gridDim.x, buffers] { run(*kernel, blocks, buffers); });
}

} // extern "C"
