//===- Output.h - where results go ---------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace stretto::tools {

/// A file that appears whole or not at all: written beside its final place, then renamed. Removed when it goes out
/// of scope before `keep`. A link is followed; a device or pipe is written as it is.
class PendingFile {
public:
  /// `path`: the final place.
  explicit PendingFile(llvm::StringRef path);
  ~PendingFile();
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;

  const std::string &temporary() const { return name; }
  /// Writes the bytes; a file that is there keeps its mode. Returns an error text, or an empty one.
  std::string write(llvm::StringRef bytes);
  /// Gives the file its final name. Returns an error text, or an empty one.
  std::string keep();

private:
  std::string path, place, name; // as the user wrote it; behind links; of the file that is written
};

/// Why a file cannot be written at `path`, as a text; empty where nothing is known to be wrong.
std::string whyNotWritable(llvm::StringRef path);

/// Writes a file that appears whole or not at all. Returns an error text, or an empty one.
std::string writeFile(llvm::StringRef path, llvm::StringRef bytes);

/// Writes to the standard output. Returns an error text, or an empty one.
std::string printText(llvm::StringRef text);

} // namespace stretto::tools
