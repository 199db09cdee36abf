// The devices that there are, and which one a program runs on.
#pragma once

#include "runtime/core/device.h"

#include <string>
#include <string_view>
#include <vector>

namespace stretto {

// The names of all devices.
std::vector<std::string> deviceNames();

// What the kernels of a program were made for where they are emulated on the CPU, "cuda"; empty where they are not.
std::string_view emulatedTarget(const stretto_program &program);

// `name`: "auto" for the one the program was compiled for, or a device's name. Throws Error when the program was not
// compiled for it, or when there is no such device here.
std::unique_ptr<Device> makeDeviceFor(const stretto_program &program, const std::string &name,
                                      const DeviceOptions &options);

} // namespace stretto
