// Files that are read whole.
#include "tools/stretto/files.h"

#include <fstream>
#include <iterator>

namespace stretto::tools {

std::optional<std::string> contentOf(const std::filesystem::path &path) {
  if (std::error_code none; !std::filesystem::is_regular_file(path, none))
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

} // namespace stretto::tools
