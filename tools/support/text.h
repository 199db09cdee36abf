// Text for the terminal that several tools print.
#pragma once

#include <filesystem>
#include <string>

namespace stretto::tools {

// The lines of a log before its last one, of its last 16 KiB, each indented and ended; "" where there is none.
std::string linesBeforeLast(const std::filesystem::path &file);

// The last `count` lines of a file, of its last 16 KiB, each indented and ended; "" where there is none.
std::string lastLines(const std::filesystem::path &file, size_t count);

} // namespace stretto::tools
