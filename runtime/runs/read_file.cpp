// Reading what runs and sweeps wrote, whichever program wrote it.
#include "runtime/runs/read_file.h"

#include "runtime/train/files.h"

#include <cerrno>
#include <sys/stat.h>

namespace stretto::runtime {

bool isThere(const std::string &path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0 || (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG);
}

std::optional<std::string> readIfThere(const std::string &path, uint64_t maxBytes) {
  if (!isThere(path))
    return std::nullopt;
  return readFile(path, maxBytes, /*followLinks=*/true);
}

} // namespace stretto::runtime
