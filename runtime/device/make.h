// The devices that there are, and which one a program runs on.
#pragma once

#include "runtime/core/device.h"
#include "runtime/dist/ranks.h"

#include <string>

namespace stretto::runtime {

// `name`: "auto" for the one the program was compiled for, or a device's name. Throws Error when the program was not
// compiled for it, or when there is no such device here.
std::unique_ptr<Device> makeDeviceFor(const stretto_program &program, const std::string &name,
                                      const DeviceOptions &options);

// How ranks are connected over the memory of a device, which has to be there meanwhile; empty where that is the host's.
MakeGroup groupsFor(const Device &device);

} // namespace stretto::runtime
