//===- RenamedPasses.h - names that passes and their options had ---------------===//
#pragma once

#include <string>

namespace stretto::tools {

/// Why the arguments cannot be what is meant, where one of them names a pass or an option by an earlier
/// name; else empty.
std::string describeRenamedPass(int count, const char *const *arguments);

} // namespace stretto::tools
