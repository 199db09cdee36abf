// Source files and places in them.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stretto::frontend {

/// A half-open range of bytes in one source file. The default value points nowhere.
struct SourceRange {
  static constexpr uint32_t noFile = ~0u;
  uint32_t file = noFile;
  uint32_t begin = 0, end = 0;

  bool isValid() const { return file != noFile; }
  /// The smallest range that holds both (they must be in one file).
  SourceRange to(SourceRange last) const { return isValid() ? SourceRange{file, begin, last.end} : last; }
};

/// Line and column, both from 1; columns count bytes.
struct LineColumn {
  uint32_t line = 0, column = 0;
};

/// The texts read in one run of the front end: files, and the values of overrides.
class SourceFiles {
public:
  /// The largest text accepted, in bytes.
  static constexpr size_t maxBytes = 4u << 20;

  /// Adds a text under a name and returns its number. A byte order mark in front is no part of it.
  uint32_t add(llvm::StringRef name, llvm::StringRef text);
  /// Adds the value of "--set name=value".
  uint32_t addOverride(llvm::StringRef name, llvm::StringRef value);

  /// Whether a line ends with this byte: a line feed, or a carriage return that none follows.
  static bool endsLine(llvm::StringRef text, size_t at) {
    return text[at] == '\n' || (text[at] == '\r' && !text.substr(at + 1).starts_with("\n"));
  }

  llvm::StringRef name(uint32_t file) const { return files[file]->name; }
  llvm::StringRef text(uint32_t file) const { return files[file]->text; }
  llvm::StringRef text(SourceRange range) const;
  LineColumn lineColumn(uint32_t file, uint32_t offset) const;
  /// The inverse; nothing where the text has no such place.
  std::optional<uint32_t> offset(uint32_t file, LineColumn place) const;
  /// The line that holds an offset, without its line end, and where it begins.
  llvm::StringRef line(uint32_t file, uint32_t offset, uint32_t &begin) const;
  /// "file:line:column" of the beginning of a range; "--set name" in the value of an override.
  std::string describe(SourceRange range) const;
  size_t size() const { return files.size(); }

private:
  struct File {
    std::string name, text;
    std::vector<uint32_t> lineStarts;
    bool isOverride = false;
  };
  std::vector<std::unique_ptr<File>> files;
};

/// The text of a source file. It must be a regular file of at most `maxBytes`; otherwise nothing, and `problem` says
/// what is wrong.
std::optional<std::string> readSource(llvm::vfs::FileSystem &files, llvm::StringRef path, std::string &problem,
                                      uint64_t maxBytes = SourceFiles::maxBytes);

} // namespace stretto::frontend
