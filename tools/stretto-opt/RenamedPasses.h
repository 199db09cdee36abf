//===- RenamedPasses.h - names that passes had --------------------------------===//
#pragma once

#include <string>

namespace stretto::tools {

/// Why the arguments cannot be what is meant, where one of them names a pass by an earlier name; else empty.
std::string describeRenamedPass(int count, const char *const *arguments);

} // namespace stretto::tools
