//===- Link.h - objects become programs ---------------------------------------===//
#pragma once

#include "codegen/target/Backend.h"

#include <string>

namespace stretto {

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
  /// Writes the bytes. Returns an error text, or an empty one.
  std::string write(llvm::StringRef bytes);
  /// Gives the file its final name. Returns an error text, or an empty one.
  std::string keep();

private:
  std::string path, place, name; // as the user wrote it; behind links; of the file that is written
};

/// Why a file cannot be written at `path`, as a text; empty where nothing is known to be wrong.
std::string whyNotWritable(llvm::StringRef path);

/// Links a compiled object with the main of training programs and the runtime's libraries, which lie in ../lib beside
/// this program, and with those of the backend. Returns an error text, or an empty one.
std::string linkProgram(llvm::StringRef object, llvm::StringRef output, const Backend &backend,
                        const BackendSettings &settings);

} // namespace stretto
