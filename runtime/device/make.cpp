#include "runtime/device/make.h"

#include "runtime/core/error.h"
#include "runtime/device/cuda/load.h"
#include "runtime/device/null_async/null_async_device.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stretto {
namespace {

struct KnownDevice {
  std::string_view name, target; // `target`: of the programs that it runs
  std::unique_ptr<Device> (*make)(const stretto_program &program, const DeviceOptions &options);
};

// Of those for one target, the first is the usual one.
constexpr KnownDevice devices[] = {
    {"cpu", "cpu", [](const stretto_program &, const DeviceOptions &) -> std::unique_ptr<Device> {
       return std::make_unique<CpuDevice>();
     }},
    {"cuda", "cuda", makeCudaDevice},
    {"null-async", "cpu", [](const stretto_program &, const DeviceOptions &options) -> std::unique_ptr<Device> {
       return std::make_unique<NullAsyncDevice>(options.repeat);
     }},
};

const KnownDevice *findDevice(std::string_view name) {
  const auto *found = std::find_if(std::begin(devices), std::end(devices), [&](auto &device) { return device.name == name; });
  return found == std::end(devices) ? nullptr : found;
}

std::vector<const KnownDevice *> devicesFor(std::string_view target) {
  std::vector<const KnownDevice *> found;
  for (const KnownDevice &device : devices)
    if (device.target == target)
      found.push_back(&device);
  return found;
}

// "'cpu' or 'null-async'"
std::string listNames(const std::vector<const KnownDevice *> &list) {
  std::vector<std::string> names;
  for (const KnownDevice *device : list)
    names.push_back(fmt::format("'{}'", device->name));
  return fmt::format("{}", fmt::join(names, " or "));
}

} // namespace

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const KnownDevice &device : devices)
    names.emplace_back(device.name);
  return names;
}

std::string_view emulatedTarget(const stretto_program &program) {
  const std::string_view target = program.target, mark = "-emulated";
  return target.ends_with(mark) ? target.substr(0, target.size() - mark.size()) : "";
}

std::unique_ptr<Device> makeDevice(const std::string &name, const DeviceOptions &options) {
  const std::vector<const KnownDevice *> known = devicesFor("cpu");
  for (const KnownDevice *device : known)
    if (device->name == name)
      return device->make({}, options);
  throw Error(fmt::format("a device must be {}, but got '{}'", listNames(known), name));
}

std::unique_ptr<Device> makeDeviceFor(const stretto_program &program, const std::string &name,
                                      const DeviceOptions &options) {
  const std::string_view target = emulatedTarget(program).empty() ? program.target : "cpu";
  const std::vector<const KnownDevice *> fitting = devicesFor(target);
  for (const KnownDevice *device : fitting)
    if (name == "auto" || name == device->name)
      return device->make(program, options);
  const KnownDevice *named = findDevice(name);
  throw Error(fmt::format("the device must be one that the model was compiled for, {}, but got '{}'{}",
                          fitting.empty() ? fmt::format("'{}'", target) : listNames(fitting), name,
                          named ? fmt::format("; compile it again: stretto compile SPEC --target={}", named->target) : ""));
}

} // namespace stretto
