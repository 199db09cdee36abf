//===- Process.h - other programs, run to their end ----------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace stretto::codegen {

/// How a program ended.
struct Finished {
  int status = 0;             // 0: well; less than 0: it could not be started, or was killed
  std::string output, errors; // what it wrote to its standard output and error
  std::string problem;        // where the status is not 0: why, in a few words
};

/// Runs a program and waits for it; `arguments` do not include its name.
Finished runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments);

/// A temporary file, removed at the end of the scope.
class ScratchFile {
public:
  /// Makes an empty file whose name ends in `suffix`; `path` is empty where that fails, and `problem` says why.
  explicit ScratchFile(llvm::StringRef suffix);
  ~ScratchFile();
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;

  /// Replaces the contents. Returns an error text, or an empty one.
  std::string write(llvm::StringRef bytes) const;
  /// The contents; empty where it cannot be read.
  std::string read() const;

  std::string path, problem;
};

} // namespace stretto::codegen
