// Text for the terminal that several tools print.
#include "tools/support/text.h"

#include "runtime/core/error.h"
#include "runtime/train/files.h"

#include <algorithm>
#include <span>

namespace stretto::tools {

// The end of a file, "" where it cannot be read.
static std::string lastBytes(const std::string &path) {
  constexpr uint64_t most = 16384;
  try {
    const runtime::InputFile file(path, /*followLinks=*/true);
    const uint64_t from = file.bytes() - std::min(file.bytes(), most);
    std::string end(file.bytes() - from, '\0');
    file.read(from, end.data(), end.size());
    return end;
  } catch (const runtime::Error &) {
    return "";
  }
}

// The lines of lastBytes, each indented and ended.
static std::vector<std::string> indentedLines(const std::filesystem::path &file) {
  const std::string end = lastBytes(file);
  std::vector<std::string> lines;
  for (size_t from = 0; from < end.size();) {
    const size_t to = std::min(end.find('\n', from), end.size());
    lines.push_back("  " + end.substr(from, to - from) + "\n");
    from = to + 1;
  }
  return lines;
}

static std::string joined(std::span<const std::string> lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line;
  return text;
}

std::string lastLines(const std::filesystem::path &file, size_t count) {
  const std::vector<std::string> lines = indentedLines(file);
  return joined(std::span(lines).last(std::min(count, lines.size())));
}

std::string linesBeforeLast(const std::filesystem::path &file) {
  const std::vector<std::string> lines = indentedLines(file);
  return joined(std::span(lines).first(lines.empty() ? 0 : lines.size() - 1));
}

} // namespace stretto::tools
