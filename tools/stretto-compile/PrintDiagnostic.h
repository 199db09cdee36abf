//===- PrintDiagnostic.h - messages about places in specs and IR --------------===//
#pragma once

#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

namespace stretto::tools {

/// Prints a diagnostic and its notes as the front end prints its own: the place in the source first, then its line.
void printDiagnostic(mlir::Diagnostic &diagnostic, llvm::raw_ostream &os);

} // namespace stretto::tools
