// Which devices there are, without what runs on them.
#include "runtime/device/names.h"

#include "runtime/core/error.h"
#include "runtime/device/cuda/present.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stretto::runtime {
namespace {

struct KnownDevice {
  std::string_view name, target; // `target`: of the programs that it runs
  bool hasHostMemory;
  void (*checkPresence)();
};

// Of those for one target, the first is the usual one.
constexpr KnownDevice devices[] = {
    {"cpu", "cpu", true, [] {}},
    {"cuda", "cuda", false, checkCudaPresence},
    {"null-async", "cpu", true, [] {}},
};

const KnownDevice *findDevice(std::string_view name) {
  const auto *found =
      std::find_if(std::begin(devices), std::end(devices), [&](auto &device) { return device.name == name; });
  return found == std::end(devices) ? nullptr : found;
}

// "'cpu' or 'null-async'"
std::string listFor(std::string_view target) {
  std::vector<std::string> names;
  for (const KnownDevice &device : devices)
    if (device.target == target)
      names.push_back(fmt::format("'{}'", device.name));
  return names.empty() ? fmt::format("'{}'", target) : fmt::format("{}", fmt::join(names, " or "));
}

} // namespace

std::vector<std::string> deviceNames() {
  std::vector<std::string> names;
  for (const KnownDevice &device : devices)
    names.emplace_back(device.name);
  return names;
}

std::string_view emulatedTarget(std::string_view target) {
  constexpr std::string_view mark = "-emulated";
  return target.ends_with(mark) ? target.substr(0, target.size() - mark.size()) : "";
}

bool isTarget(std::string_view target) {
  const std::string_view emulated = emulatedTarget(target);
  return std::ranges::any_of(
      devices, [&](const KnownDevice &device) { return device.target == (emulated.empty() ? target : emulated); });
}

std::string chooseDevice(std::string_view target, const std::string &asked) {
  if (target.empty() || !emulatedTarget(target).empty())
    target = devices[0].target;
  for (const KnownDevice &device : devices)
    if (device.target == target && (asked == "auto" || asked == device.name))
      return std::string(device.name);
  const KnownDevice *named = findDevice(asked);
  throw Error(
      fmt::format("the device must be one that the model was compiled for, {}, but got '{}'{}", listFor(target), asked,
                  named ? fmt::format("; compile it again: stretto compile SPEC --target={}", named->target) : ""));
}

bool hasHostMemory(std::string_view device) {
  const KnownDevice *known = findDevice(device);
  return known && known->hasHostMemory;
}

void checkPresence(std::string_view device) {
  if (const KnownDevice *known = findDevice(device))
    known->checkPresence();
}

} // namespace stretto::runtime
