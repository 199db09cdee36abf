// What the compiler, and those who read specs without it, must agree about.
#pragma once

#include <cstddef>
#include <string_view>

namespace stretto::tools {

inline constexpr size_t maxSpecBytes = 4u << 20; // of a spec, or of what it imports

inline constexpr size_t maxSpecFiles = 256; // of a program

// Where imports are looked up last; from the folder above that of the programs.
inline constexpr std::string_view modelsPath = "share/stretto/models";

} // namespace stretto::tools
