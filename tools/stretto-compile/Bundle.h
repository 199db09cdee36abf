//===- Bundle.h - libraries beside a program -----------------------------------===//
#pragma once

#include "tools/stretto-compile/Link.h"

namespace stretto::tools {

/// What a folder of copies holds.
struct Bundle {
  int64_t files = 0, bytes = 0;
};

/// Copies into `folder` all that these libraries load, directly or not, and what of `byName` lies beside it: a program
/// that looks for them there needs nothing else of this machine. Left out are what a system must have itself, the C
/// library and NVIDIA's driver. On failure fills `error`.
Bundle copyLibraries(const ProgramLibraries &libraries, llvm::ArrayRef<llvm::StringRef> byName, llvm::StringRef folder,
                     std::string &error);

} // namespace stretto::tools
