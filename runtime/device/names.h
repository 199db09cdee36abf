// Which devices there are, without what runs on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stretto::runtime {

// The names of all devices.
std::vector<std::string> deviceNames();

// What the kernels of a program for `target` were made for where they are emulated on the CPU: of "cuda-emulated",
// "cuda"; empty where they are not.
std::string_view emulatedTarget(std::string_view target);

// Whether some device runs programs for `target`, by its own kernels or emulated.
bool isTarget(std::string_view target);

// The device that a program for `target` (empty: the usual one) runs on: `asked`, or for "auto" the usual one. Throws
// Error when the program was not compiled for the one asked for.
std::string chooseDevice(std::string_view target, const std::string &asked);

// Whether a device works in memory of the host.
bool hasHostMemory(std::string_view device);

// Throws Error when this machine has no such device, as far as that is known without the device's own libraries.
void checkPresence(std::string_view device);

} // namespace stretto::runtime
