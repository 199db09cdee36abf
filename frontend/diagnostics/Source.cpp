// Source files and places in them.
#include "frontend/diagnostics/Source.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace stretto;
using namespace stretto::frontend;

uint32_t SourceFiles::add(llvm::StringRef name, llvm::StringRef text) {
  text.consume_front("\xEF\xBB\xBF");
  auto file = std::make_unique<File>();
  file->name = name.str();
  file->text = text.str();
  file->lineStarts.push_back(0);
  for (uint32_t offset = 0; offset < file->text.size(); ++offset)
    if (endsLine(file->text, offset))
      file->lineStarts.push_back(offset + 1);
  files.push_back(std::move(file));
  return files.size() - 1;
}

uint32_t SourceFiles::addOverride(llvm::StringRef name, llvm::StringRef value) {
  uint32_t file = add(("--set " + name).str(), value);
  files[file]->isOverride = true;
  return file;
}

llvm::StringRef SourceFiles::text(SourceRange range) const {
  return range.isValid() ? text(range.file).slice(range.begin, range.end) : llvm::StringRef();
}

LineColumn SourceFiles::lineColumn(uint32_t file, uint32_t offset) const {
  const std::vector<uint32_t> &starts = files[file]->lineStarts;
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  uint32_t line = next - starts.begin();
  return {line, offset - starts[line - 1] + 1};
}

std::optional<uint32_t> SourceFiles::offset(uint32_t file, LineColumn place) const {
  const std::vector<uint32_t> &starts = files[file]->lineStarts;
  if (place.line < 1 || place.line > starts.size() || place.column < 1)
    return std::nullopt;
  uint32_t offset = starts[place.line - 1] + place.column - 1;
  return offset <= text(file).size() ? std::optional(offset) : std::nullopt;
}

llvm::StringRef SourceFiles::line(uint32_t file, uint32_t offset, uint32_t &begin) const {
  begin = files[file]->lineStarts[lineColumn(file, offset).line - 1];
  return text(file).substr(begin).take_until([](char c) { return c == '\n' || c == '\r'; });
}

std::string SourceFiles::describe(SourceRange range) const {
  if (!range.isValid())
    return "";
  if (files[range.file]->isOverride)
    return files[range.file]->name;
  LineColumn place = lineColumn(range.file, range.begin);
  return (name(range.file) + ":" + llvm::Twine(place.line) + ":" + llvm::Twine(place.column)).str();
}

std::optional<std::string> frontend::readSource(llvm::vfs::FileSystem &files, llvm::StringRef path,
                                                std::string &problem, uint64_t maxBytes) {
  auto status = files.status(path);
  if (!status) {
    problem = status.getError().message();
  } else if (status->isDirectory()) {
    problem = "it is a folder";
  } else if (!status->isRegularFile()) {
    problem = "it must be a regular file";
  } else if (status->getSize() > maxBytes) {
    problem =
        ("it must have at most " + llvm::Twine(maxBytes) + " bytes, but got " + llvm::Twine(status->getSize())).str();
  } else if (auto buffer = files.getBufferForFile(path)) {
    return (*buffer)->getBuffer().str();
  } else {
    problem = buffer.getError().message();
  }
  return std::nullopt;
}
