// Files that are read and written whole.
#include "tools/stretto/files.h"

#include "tools/stretto/error.h"

#include <cerrno>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

namespace stretto::tools {

std::optional<std::string> contentOf(const std::filesystem::path &path) {
  if (std::error_code none; !std::filesystem::is_regular_file(path, none))
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void writeFile(const std::filesystem::path &path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  if (!(file << text << std::flush))
    throw WriteError(path, errno);
  syncFile(path);
}

void syncFile(const std::filesystem::path &path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int code = file < 0 || fsync(file) != 0 ? errno : 0;
  if (file >= 0)
    close(file);
  if (code)
    throw WriteError(path, code);
}

} // namespace stretto::tools
