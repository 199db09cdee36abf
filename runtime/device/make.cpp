#include "runtime/device/make.h"

#include "runtime/core/error.h"
#include "runtime/device/cuda/load.h"
#include "runtime/device/null_async/null_async_device.h"

#include <fmt/format.h>
#include <string_view>

namespace stretto {

std::unique_ptr<Device> makeDevice(const std::string &name, const DeviceOptions &options) {
  if (name == "cpu")
    return std::make_unique<CpuDevice>();
  if (name == "null-async")
    return std::make_unique<NullAsyncDevice>(options.repeat);
  throw Error(fmt::format("a device must be 'cpu' or 'null-async', but got '{}'", name));
}

std::unique_ptr<Device> makeDeviceFor(const stretto_program &program, const std::string &name,
                                      const DeviceOptions &options) {
  const bool forCuda = std::string_view(program.target) == "cuda";
  if (name != "auto" && (name == "cuda") != forCuda)
    throw Error(fmt::format("the device must be one that the model was compiled for, {}, but got '{}'; compile it again: "
                            "stretto compile SPEC --target={}",
                            forCuda ? "'cuda'" : "'cpu' (or 'null-async')", name, forCuda ? "cpu" : "cuda"));
  if (forCuda)
    return makeCudaDevice(program, options);
  return makeDevice(name == "auto" ? "cpu" : name, options);
}

} // namespace stretto
