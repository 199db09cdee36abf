// Reading what runs and sweeps wrote, whichever program wrote it.
#include "runtime/runs/read_file.h"

#include "runtime/train/files.h"

namespace stretto::runtime {

std::optional<std::string> readIfThere(const std::string &path, uint64_t maxBytes) {
  if (!pathExists(path))
    return std::nullopt;
  return readFile(path, maxBytes, /*followLinks=*/true);
}

} // namespace stretto::runtime
