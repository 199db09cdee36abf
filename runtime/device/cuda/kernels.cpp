// The generated kernels of a program, on the device.
#include "runtime/device/cuda/kernels.h"

#include "runtime/device/cuda/check.h"
#include "runtime/device/cuda/tensor_maps.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace stretto::runtime {

// Code may have been made for a device that has more.
static void checkShared(const stretto_kernel &kernel, const std::string &deviceName, Capability device,
                        int64_t mostShared) {
  const int64_t bytes = kernel.shared_bytes + kernel.dynamic_shared_bytes;
  if (bytes <= mostShared)
    return;
  throw Error(
      fmt::format("a block of the kernel '{}' must fit into the shared memory of the device, {} ({}), at most {} "
                  "bytes for a block, but needs {}; {}",
                  kernel.name, deviceName, architectureName(device), mostShared, bytes, compileAdvice(device)));
}

// A launch of so many blocks in x. `cluster` has to last until then.
static cudaLaunchConfig_t configOf(const stretto_kernel &kernel, int64_t blocks, cudaLaunchAttribute &cluster) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(kernel.grid[1]), 1);
  config.blockDim = dim3(static_cast<unsigned>(kernel.block), 1, 1);
  config.dynamicSmemBytes = static_cast<size_t>(kernel.dynamic_shared_bytes);
  if (kernel.cluster > 1) {
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(kernel.cluster), 1, 1};
    config.attrs = &cluster;
    config.numAttrs = 1;
  }
  return config;
}

Kernels::Kernels(const stretto_program &program, const std::string &deviceName, Capability device, int64_t mostShared)
    : program(program), handles(program.kernel_count) {
  const std::span<const stretto_image> images(program.images, static_cast<size_t>(program.image_count));
  const stretto_image *image = chooseImage(images, device);
  if (!image)
    throw Error(noImageMessage(images, deviceName, device));
  for (int64_t i = 0; i < program.kernel_count; ++i)
    checkShared(program.kernels[i], deviceName, device, mostShared);
  try {
    load(*image);
    for (int64_t i = 0; i < program.kernel_count; ++i)
      if (program.kernels[i].symbol)
        handles[i] = loadKernel(program.kernels[i], deviceName);
  } catch (...) {
    unload();
    throw;
  }
}

Kernels::~Kernels() { unload(); }

void Kernels::unload() {
  if (library)
    cudaLibraryUnload(library);
}

void Kernels::load(const stretto_image &image) {
  const bool text = image.kind == STRETTO_IMAGE_PTX;
  sourceText = fmt::format("{} of {}", text ? "PTX" : "machine code", image.architecture);
  compilerValues = {said.data(), reinterpret_cast<void *>(said.size() - 1)};
  checkLoaded(cudaLibraryLoadData(&library, image.data, compilerOptions.data(), compilerValues.data(),
                                  text ? compilerValues.size() : 0, nullptr, nullptr, 0));
}

// Unless told otherwise, the driver loads a library when a kernel of it is needed: then its compiler runs, memory is
// taken, and a capture may be under way. To ask for a kernel's attributes is the way to have it loaded now. More than
// 48 KiB of shared memory must be asked for before a launch.
cudaKernel_t Kernels::loadKernel(const stretto_kernel &kernel, const std::string &deviceName) const {
  cudaKernel_t handle = nullptr;
  const cudaError_t found = cudaLibraryGetKernel(&handle, library, kernel.symbol);
  if (found == cudaErrorSymbolNotFound)
    throw Error(fmt::format("the device code must hold the kernel '{}', but: {}; compile the model again",
                            kernel.symbol, cudaGetErrorString(found)));
  checkLoaded(found);
  const void *function = reinterpret_cast<const void *>(handle);
  cudaFuncAttributes attributes{};
  checkLoaded(cudaFuncGetAttributes(&attributes, function));
  if (kernel.dynamic_shared_bytes)
    checkLoaded(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(kernel.dynamic_shared_bytes)));
  if (kernel.cluster > 1)
    checkClusters(kernel, function, deviceName);
  return handle;
}

// Too few multiprocessors may lie together: a part of a device has fewer than all of it.
void Kernels::checkClusters(const stretto_kernel &kernel, const void *function, const std::string &deviceName) const {
  cudaLaunchAttribute cluster{};
  const cudaLaunchConfig_t config = configOf(kernel, kernel.grid[0], cluster);
  int fitting = 0;
  checkLoaded(cudaOccupancyMaxActiveClusters(&fitting, function, &config));
  if (fitting < 1)
    throw Error(
        fmt::format("a cluster of {} blocks of the kernel '{}' must fit into the device, {}, but it has no room "
                    "for one",
                    kernel.cluster, kernel.name, deviceName));
}

void Kernels::checkLoaded(cudaError_t status) const {
  if (status == cudaSuccess)
    return;
  const std::string_view log(said.data());
  throw Error(fmt::format("cannot load the program's {}: {}{}{}", sourceText, cudaGetErrorString(status),
                          log.empty() ? "" : ": ", log));
}

void Kernels::launch(const LaunchOp &op, cudaStream_t stream) {
  const stretto_kernel &kernel = *op.kernel;
  if (op.begin == 0 && op.end == kernel.chunks)
    return launchBlocks(kernel, kernel.grid[0], op.buffers, stream);
  const bool hasLast = op.end == kernel.chunks && isLastBlockShort(kernel);
  if (const int64_t blocks = op.end - op.begin - hasLast; blocks > 0) {
    std::vector<void *> buffers = op.buffers;
    for (size_t i = 0; i < buffers.size(); ++i) // blocks count from 0
      buffers[i] = static_cast<char *>(buffers[i]) + op.begin * kernel.chunk_bytes[i];
    launchBlocks(kernel, blocks, std::move(buffers), stream);
  }
  if (!hasLast)
    return;
  const std::vector<void *> buffers = lastBlocks.take(op, stream);
  launchBlocks(kernel, 1, buffers, stream);
  lastBlocks.giveBack(op, buffers, stream);
}

void Kernels::launchBlocks(const stretto_kernel &kernel, int64_t blocks, std::vector<void *> buffers,
                           cudaStream_t stream) const {
  const int64_t index = &kernel - program.kernels;
  if (index < 0 || index >= program.kernel_count || !handles[index])
    throw Error(fmt::format("a kernel of a program for CUDA must be in its device code, but '{}' is not; compile the "
                            "model again",
                            kernel.name));
  cudaLaunchAttribute cluster{};
  cudaLaunchConfig_t config = configOf(kernel, blocks, cluster);
  config.stream = stream;
  std::vector<CUtensorMap> maps = makeTensorMaps(kernel, buffers);
  std::vector<void *> arguments;
  std::ranges::transform(buffers, std::back_inserter(arguments), [](void *&buffer) { return &buffer; });
  std::ranges::transform(maps, std::back_inserter(arguments), [](CUtensorMap &map) { return &map; });
  const cudaError_t status =
      cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(handles[index]), arguments.data());
  if (status != cudaSuccess)
    throw Error(fmt::format("cannot launch the kernel '{}' ({} x {} blocks of {} threads): {} ({})", kernel.name,
                            blocks, kernel.grid[1], kernel.block, cudaGetErrorString(status),
                            cudaGetErrorName(status)));
}

} // namespace stretto::runtime
