//===- Locations.h - locations in the source -------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

namespace stretto::codegen {

struct SourceLocation {
  std::string file;
  unsigned line, column;
  bool operator==(const SourceLocation &) const = default;
  std::string text() const { return file + ":" + std::to_string(line) + ":" + std::to_string(column); }
};

/// The innermost locations in files that a location names, each once, in order: for a fused kernel those of all its
/// operations.
llvm::SmallVector<SourceLocation> listLocations(mlir::Location loc);

/// The same as text, "file:line:column, ...".
std::string sourceLocations(mlir::Location loc);

} // namespace stretto::codegen
