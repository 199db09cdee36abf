// Whether there is a GPU, without CUDA's libraries.
#include "runtime/device/cuda/present.h"

#include "runtime/core/error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>

namespace stretto::runtime {

static constexpr const char *advice = "; a program for the CPU is made by: stretto compile SPEC --target=cpu";

std::string noCudaDriver() {
  return fmt::format("the model was compiled for CUDA and needs an NVIDIA GPU, but this machine has no NVIDIA driver{}",
                     advice);
}

std::string noCudaDevice() {
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return fmt::format("the model was compiled for CUDA and needs an NVIDIA GPU, but none is visible{}{}",
                     visible ? fmt::format(" (CUDA_VISIBLE_DEVICES is '{}')", visible) : "", advice);
}

void checkCudaPresence() {
  constexpr int noDevice = 100; // CUDA_ERROR_NO_DEVICE
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver)
    throw Error(noCudaDriver());
  auto *start = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  auto *count = reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  int devices = 0;
  if (start && count && (start(0) == noDevice || (count(&devices) == 0 && devices == 0)))
    throw Error(noCudaDevice());
}

} // namespace stretto::runtime
