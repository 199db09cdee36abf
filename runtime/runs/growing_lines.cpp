// Reading a file that is still being written.
#include "runtime/runs/growing_lines.h"

#include "runtime/core/error.h"
#include "runtime/runs/read_file.h"
#include "runtime/train/files.h"

#include <algorithm>

namespace stretto::runtime {

static constexpr size_t mostBytes = size_t{1} << 20; // of a line

// Moves the whole lines of a text to the others. Returns how many bytes they were.
static size_t takeLines(std::string &text, std::vector<std::string> &lines) {
  size_t from = 0;
  for (size_t end; (end = text.find('\n', from)) != text.npos; from = end + 1)
    lines.push_back(text.substr(from, end - from));
  text.erase(0, from);
  return from;
}

std::vector<std::string> GrowingLines::next() {
  std::vector<std::string> lines;
  if (!pathExists(path))
    return lines;
  const InputFile file(path, /*followLinks=*/true);
  const auto size = int64_t(file.bytes());
  if (size < offset)
    offset = count = 0;
  const int64_t before = count;
  std::string text; // of the line at `offset`, as far as it was read
  while (offset + int64_t(text.size()) < size) {
    const size_t had = text.size();
    text.resize(had + std::min<size_t>(mostBytes, size_t(size - offset) - had));
    file.read(uint64_t(offset) + had, text.data() + had, text.size() - had);
    offset += int64_t(takeLines(text, lines));
    count = before + int64_t(lines.size());
    if (text.size() > mostBytes)
      throw Error(path + ":" + std::to_string(count + 1) + ": a line must have at most " + std::to_string(mostBytes) +
                  " bytes");
  }
  return lines;
}

std::string GrowingLines::place(size_t back, const std::string &what) const {
  return path + ":" + std::to_string(count - int64_t(back)) + ": " + what;
}

} // namespace stretto::runtime
