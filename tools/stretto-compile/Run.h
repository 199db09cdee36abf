//===- Run.h - other programs that this one asks --------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace stretto::tools {

/// How a program ended: its exit status (negative: it could not be run, and `problem` says why), and what it wrote.
struct RunResult {
  int status = -1;
  std::string output, problem;
};

/// Runs a program to its end, without a shell, and reads its standard output, with `errorsToo` also its errors.
RunResult runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments, bool errorsToo = false);

} // namespace stretto::tools
