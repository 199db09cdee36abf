// What a spec consists of, read without the compiler.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::tools {

struct SpecFile {
  std::filesystem::path path;
  std::string text;
};

// The paths that follow the word `import` outside of comments (// to the end of the line) and strings, in order.
std::vector<std::string> importedPaths(std::string_view text);

// The spec and all files it imports, directly or not, each once, in order of first mention. As the compiler does, an
// import is looked up in the folder of the file it stands in, then in `importFolders`, by paths from which `..` has
// been removed as text, whatever links there are; one that is found nowhere is left out, because reporting it is the
// compiler's job. Throws CommandError where the spec itself cannot be read.
std::vector<SpecFile> readSpec(const std::filesystem::path &spec, std::span<const std::string> importFolders = {});

} // namespace stretto::tools
