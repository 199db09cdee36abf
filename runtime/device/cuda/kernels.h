// The generated kernels of a program, on the device.
#pragma once

#include "runtime/core/op.h"
#include "runtime/device/cuda/images.h"

#include <cuda_runtime_api.h>
#include <vector>

namespace stretto {

class Kernels {
public:
  // Loads the first image the device takes and looks up every kernel. Throws Error where none fits or one is missing.
  Kernels(const stretto_program &program, const std::string &deviceName, Capability device);
  ~Kernels();
  Kernels(const Kernels &) = delete;
  Kernels &operator=(const Kernels &) = delete;

  void launch(const LaunchOp &op, cudaStream_t stream) const;
  // "machine code of sm_90a", "PTX of sm_80".
  const std::string &source() const { return sourceText; }

private:
  void load(const stretto_image &image);
  const stretto_program &program;
  std::string sourceText;
  cudaLibrary_t library = nullptr;
  std::vector<cudaKernel_t> handles; // of the program's kernels, in its order; null: not for a device
};

} // namespace stretto
