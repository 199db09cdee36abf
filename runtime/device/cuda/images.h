// Which of a program's device images a device takes. No CUDA in here.
#pragma once

#include "runtime/abi/abi.h"

#include <span>
#include <string>

namespace stretto::runtime {

// Compute capability of a device, e.g. 9.0.
struct Capability {
  int major = 0, minor = 0;
  auto operator<=>(const Capability &) const = default;
};

// Machine code is for exactly its architecture. PTX is for its architecture and newer ones; that of an architecture
// with a suffix ("sm_90a") for this one alone.
bool takesImage(Capability device, const stretto_image &image);

// The first image the device takes, or null.
const stretto_image *chooseImage(std::span<const stretto_image> images, Capability device);

// "sm_90"
std::string architectureName(Capability device);

// How to get a program for the device: "compile it again: stretto compile SPEC --target=cuda --chip=sm_80"; of Hopper
// the chip whose tensor cores have code of their own, sm_90a. Where no program runs there, that.
std::string compileAdvice(Capability device);

// What to tell the user where no image fits: what the program has, what device there is, and what to do.
std::string noImageMessage(std::span<const stretto_image> images, const std::string &deviceName, Capability device);

} // namespace stretto::runtime
