//===- Locations.h - places in the source -------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

namespace stretto::codegen {

struct SourcePlace {
  std::string file;
  unsigned line, column;
  bool operator==(const SourcePlace &) const = default;
  std::string text() const { return file + ":" + std::to_string(line) + ":" + std::to_string(column); }
};

/// The innermost places a location names, each once, in order: for a fused kernel those of all its operations.
llvm::SmallVector<SourcePlace> listPlaces(mlir::Location loc);

/// The same as text, "file:line:column, ...".
std::string sourcePlaces(mlir::Location loc);

} // namespace stretto::codegen
