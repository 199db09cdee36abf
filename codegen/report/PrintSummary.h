//===- PrintSummary.h - the summary of a program as a table --------------------===//
#pragma once

#include "codegen/facts/Summary.h"

namespace stretto::codegen {

/// For the terminal.
void printSummary(const Summary &summary, llvm::raw_ostream &os);

} // namespace stretto::codegen
