// Files that are read whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace stretto::tools {

// The content of a regular file; nothing where it is none or cannot be read.
std::optional<std::string> contentOf(const std::filesystem::path &path);

} // namespace stretto::tools
