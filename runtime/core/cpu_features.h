// What the CPU that we run on can execute.
#pragma once

#include <string>
#include <string_view>

namespace stretto::runtime {

// Those of `needed` (instruction sets as LLVM names them, separated by commas) that this CPU or its operating system
// lacks, in the same form; empty where code made for them runs. Looks only at sets that a code generator uses by
// itself: whether a CPU has, say, instructions for AES does not matter to a model.
std::string missingCpuFeatures(std::string_view needed);

// What the system calls the CPU of this machine; empty where it does not say.
std::string cpuModel();

} // namespace stretto::runtime
