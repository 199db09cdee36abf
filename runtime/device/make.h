// The devices that there are, and which one a program runs on.
#pragma once

#include "runtime/core/device.h"

#include <string>

namespace stretto::runtime {

// `name`: "auto" for the one the program was compiled for, or a device's name. Throws Error when the program was not
// compiled for it, or when there is no such device here.
std::unique_ptr<Device> makeDeviceFor(const stretto_program &program, const std::string &name,
                                      const DeviceOptions &options);

} // namespace stretto::runtime
