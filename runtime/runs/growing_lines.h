// Reading a file that is still being written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::runtime {

// A file of lines that grows while it is read.
class GrowingLines {
public:
  explicit GrowingLines(std::string path) : path(std::move(path)) {}

  // The whole lines written since the last call; a line without an end waits for the next one. A file that became
  // shorter is read again from its start. No file: no lines. Throws Error for what is no regular file or cannot be
  // read, and for a line of more than 2^20 bytes.
  std::vector<std::string> next();

  // "path:line: what", for the line last returned but `back`.
  std::string place(size_t back, const std::string &what) const;

private:
  std::string path;
  int64_t offset = 0, count = 0;
};

} // namespace stretto::runtime
