// Whether there is a GPU, without CUDA's libraries.
#pragma once

#include <string>

namespace stretto::runtime {

// What a program for CUDA says where it cannot run.
std::string noCudaDriver();
std::string noCudaDevice();

// Asks the driver, where there is one. Throws Error where it is missing or sees no GPU.
void checkCudaPresence();

} // namespace stretto::runtime
