// The devices that there are, and which one a program runs on.
#include "runtime/device/make.h"

#include "runtime/core/error.h"
#include "runtime/device/cuda/load.h"
#include "runtime/device/names.h"
#include "runtime/device/null_async/null_async_device.h"

#include <fmt/format.h>

namespace stretto::runtime {

// Devices that run the programs for a CPU.
static std::unique_ptr<Device> makeHostDevice(std::string_view name, const DeviceOptions &options) {
  if (name == "cpu")
    return std::make_unique<CpuDevice>();
  return name == "null-async" ? std::make_unique<NullAsyncDevice>(options.repeat) : nullptr;
}

std::unique_ptr<Device> makeDevice(const std::string &name, const DeviceOptions &options) {
  if (auto device = makeHostDevice(name, options))
    return device;
  throw Error(fmt::format("a device must be 'cpu' or 'null-async', but got '{}'", name));
}

std::unique_ptr<Device> makeDeviceFor(const stretto_program &program, const std::string &name,
                                      const DeviceOptions &options) {
  const std::string chosen = chooseDevice(program.target, name);
  auto device = makeHostDevice(chosen, options);
  return device ? std::move(device) : makeCudaDevice(program, options);
}

MakeGroup groupsFor(const Device &device) { return hasHostMemory(device.name()) ? MakeGroup() : cudaGroups(device); }

} // namespace stretto::runtime
