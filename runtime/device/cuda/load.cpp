// The way to the CUDA device.
#include "runtime/device/cuda/load.h"

#include "runtime/core/error.h"

#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

constexpr const char *libraryName = "libstretto_cuda.so";

// The folder of the library this code is in.
std::filesystem::path ownFolder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void *>(&makeCudaDevice), &info) || !info.dli_fname)
    return ".";
  return std::filesystem::absolute(info.dli_fname).parent_path();
}

struct CudaLibrary {
  MakeCudaDevice *makeDevice;
  MakeCudaGroup *makeGroup;
};

CudaLibrary load() {
  const std::filesystem::path path = ownFolder() / libraryName;
  std::error_code none;
  if (!std::filesystem::exists(path, none))
    throw Error(
        fmt::format("a program for CUDA needs '{}', but there is no such file; build the runtime with a LibTorch "
                    "that has CUDA (or compile the model with --target=cpu)",
                    path.string()));
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(fmt::format("a program for CUDA needs '{}', but it cannot be loaded: {}", path.string(), dlerror()));
  const CudaLibrary found{reinterpret_cast<MakeCudaDevice *>(dlsym(library, "stretto_make_cuda_device")),
                          reinterpret_cast<MakeCudaGroup *>(dlsym(library, "stretto_make_cuda_group"))};
  const auto *version = static_cast<const uint32_t *>(dlsym(library, "stretto_cuda_abi_version"));
  if (!found.makeDevice || !found.makeGroup || !version || *version != STRETTO_ABI_VERSION)
    throw Error(
        fmt::format("'{}' must have interface version {}, as libstretto_runtime.so beside it, but has {}; build "
                    "both again",
                    path.string(), STRETTO_ABI_VERSION, version ? fmt::format("{}", *version) : "none"));
  return found;
}

} // namespace

std::unique_ptr<Device> makeCudaDevice(const stretto_program &program, const DeviceOptions &options) {
  return std::unique_ptr<Device>(load().makeDevice(program, options));
}

MakeGroup cudaGroups(const Device &device) {
  return [&device, make = load().makeGroup](const GroupStore &store, const std::string &name, int rank, int size) {
    return std::unique_ptr<Group>(make(device, store, name, rank, size));
  };
}

} // namespace stretto::runtime
