// Files that are read and written whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stretto::tools {

// The content of a regular file; nothing where it is none, or cannot be read: errno says why.
std::optional<std::string> contentOf(const std::filesystem::path &path);

// Writes a file, and waits until the disk has it. Throws WriteError.
void writeFile(const std::filesystem::path &path, std::string_view text);

// Waits until the disk has a file. Throws WriteError.
void syncFile(const std::filesystem::path &path);

} // namespace stretto::tools
