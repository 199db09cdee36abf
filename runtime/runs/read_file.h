// Reading what runs and sweeps wrote, whichever program wrote it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stretto::runtime {

// The text of a file; nothing where there is none. Throws Error for what is no regular file, cannot be read, or has
// more than `maxBytes`.
std::optional<std::string> readIfThere(const std::string &path, uint64_t maxBytes);

} // namespace stretto::runtime
