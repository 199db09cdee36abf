// Files that are read and written whole.
#include "tools/stretto/files.h"

#include "tools/stretto/error.h"

#include <array>
#include <cerrno>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

namespace stretto::tools {

std::optional<std::string> contentOf(const std::filesystem::path &path) {
  if (std::error_code none; !std::filesystem::is_regular_file(path, none))
    return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  std::string content;
  for (std::array<char, 1 << 16> part; file.read(part.data(), part.size()), file.gcount() > 0;)
    content.append(part.data(), size_t(file.gcount()));
  return file.bad() ? std::nullopt : std::optional(std::move(content));
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
