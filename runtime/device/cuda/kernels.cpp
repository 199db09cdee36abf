// The generated kernels of a program, on the device.
#include "runtime/device/cuda/kernels.h"

#include "runtime/device/cuda/check.h"

#include <fmt/format.h>
#include <string_view>

namespace stretto::runtime {

Kernels::Kernels(const stretto_program &program, const std::string &deviceName, Capability device)
    : program(program), handles(program.kernel_count) {
  const std::span<const stretto_image> images(program.images, static_cast<size_t>(program.image_count));
  const stretto_image *image = chooseImage(images, device);
  if (!image)
    throw Error(noImageMessage(images, deviceName, device));
  try {
    load(*image);
    for (int64_t i = 0; i < program.kernel_count; ++i)
      if (const char *symbol = program.kernels[i].symbol)
        handles[i] = loadKernel(symbol);
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
// taken, and a capture may be under way. To ask for a kernel's attributes is the way to have it loaded now.
cudaKernel_t Kernels::loadKernel(const char *symbol) const {
  cudaKernel_t kernel = nullptr;
  const cudaError_t found = cudaLibraryGetKernel(&kernel, library, symbol);
  if (found == cudaErrorSymbolNotFound)
    throw Error(fmt::format("the device code must hold the kernel '{}', but: {}; compile the model again", symbol,
                            cudaGetErrorString(found)));
  checkLoaded(found);
  cudaFuncAttributes attributes{};
  checkLoaded(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(kernel)));
  return kernel;
}

void Kernels::checkLoaded(cudaError_t status) const {
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

} // namespace stretto::runtime
