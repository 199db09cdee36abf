// The generated kernels of a program, on the device.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cuda/images.h"
#include "runtime/device/cuda/last_blocks.h"

#include <array>
#include <cuda_runtime_api.h>
#include <vector>

namespace stretto::runtime {

class Kernels {
public:
  // Loads the first image the device takes and every kernel in it. `mostShared`: bytes of shared memory that a block
  // may have there. Throws Error where no image fits, a kernel is missing, needs more shared memory or has clusters
  // that do not fit, and what the driver says of an image that it cannot load.
  Kernels(const stretto_program &program, const std::string &deviceName, Capability device, int64_t mostShared);
  ~Kernels();
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;

  void launch(const LaunchOp &op, cudaStream_t stream);
  // "machine code of sm_90a", "PTX of sm_80".
  const std::string &source() const { return sourceText; }

private:
  // `blocks` in x, which work on what `buffers` begin with.
  void launchBlocks(const stretto_kernel &kernel, int64_t blocks, std::vector<void *> buffers,
                    cudaStream_t stream) const;
  void load(const stretto_image &image);
  void unload();
  cudaKernel_t loadKernel(const stretto_kernel &kernel, const std::string &deviceName) const;
  // Throws Error where the device has no room for a cluster of the kernel.
  void checkClusters(const stretto_kernel &kernel, const void *function, const std::string &deviceName) const;
  // Throws Error where the status of loading is not success.
  void checkLoaded(cudaError_t status) const;
  const stretto_program &program;
  std::string sourceText;
  cudaLibrary_t library = nullptr;
  // What the driver's compiler is given, and where it puts its messages: in use until the library is unloaded.
  std::array<char, 4096> said{};
  std::array<cudaJitOption, 2> compilerOptions = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
  std::array<void *, 2> compilerValues{};
  std::vector<cudaKernel_t> handles; // of the program's kernels, in its order; null: not for a device
  LastBlocks lastBlocks;
};

} // namespace stretto::runtime
