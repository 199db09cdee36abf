#include "runtime/device/cuda/kernels.h"

#include "runtime/device/cuda/check.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace stretto {

Kernels::Kernels(const stretto_program &program, const std::string &deviceName, Capability device)
    : program(program), handles(program.kernel_count) {
  const std::span<const stretto_image> images(program.images, static_cast<size_t>(program.image_count));
  const stretto_image *image = chooseImage(images, device);
  if (!image)
    throw Error(noImageMessage(images, deviceName, device));
  load(*image);
  for (int64_t i = 0; i < program.kernel_count; ++i) {
    const stretto_kernel &kernel = program.kernels[i];
    if (!kernel.symbol)
      continue;
    const cudaError_t status = cudaLibraryGetKernel(&handles[i], library, kernel.symbol);
    if (status != cudaSuccess) {
      cudaLibraryUnload(library);
      throw Error(fmt::format("the device code must hold the kernel '{}', but: {}; compile the model again",
                              kernel.symbol, cudaGetErrorString(status)));
    }
  }
}

Kernels::~Kernels() { cudaLibraryUnload(library); }

void Kernels::load(const stretto_image &image) {
  const bool text = image.kind == STRETTO_IMAGE_PTX;
  sourceText = fmt::format("{} of {}", text ? "PTX" : "machine code", image.architecture);
  std::array<char, 4096> said{};
  cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
  void *values[] = {said.data(), reinterpret_cast<void *>(said.size() - 1)};
  const cudaError_t status =
      cudaLibraryLoadData(&library, image.data, options, values, text ? 2 : 0, nullptr, nullptr, 0);
  if (status == cudaSuccess)
    return;
  const std::string_view log(said.data());
  throw Error(fmt::format("cannot load the program's {}: {}{}{}", sourceText, cudaGetErrorString(status),
                          log.empty() ? "" : ": ", log));
}

void Kernels::launch(const LaunchOp &op, cudaStream_t stream) const {
  const stretto_kernel &kernel = *op.kernel;
  const int64_t index = &kernel - program.kernels;
  if (index < 0 || index >= program.kernel_count || !handles[index])
    throw Error(fmt::format("a kernel of a program for CUDA must be in its device code, but '{}' is not; compile the "
                            "model again",
                            kernel.name));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(kernel.grid[0]), static_cast<unsigned>(kernel.grid[1]), 1);
  config.blockDim = dim3(static_cast<unsigned>(kernel.block), 1, 1);
  config.stream = stream;
  std::vector<void *> arguments(op.buffers.size());
  for (size_t i = 0; i < op.buffers.size(); ++i)
    arguments[i] = const_cast<void **>(&op.buffers[i]);
  const cudaError_t status =
      cudaLaunchKernelExC(&config, reinterpret_cast<const void *>(handles[index]), arguments.data());
  if (status != cudaSuccess)
    throw Error(fmt::format("cannot launch the kernel '{}' ({} x {} blocks of {} threads): {} ({})", kernel.name,
                            kernel.grid[0], kernel.grid[1], kernel.block, cudaGetErrorString(status),
                            cudaGetErrorName(status)));
}

} // namespace stretto
