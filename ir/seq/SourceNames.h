//===- SourceNames.h - what the source calls an operation ---------------------===//
//
// Kept in locations, because those survive every pass: what a spec calls `rms_norm` is a dozen operations soon after,
// each with the location of the one they come from.
#pragma once

#include "mlir/IR/Location.h"

#include <string>

namespace stretto {

/// The place of an operation that the source calls `name` ("rms_norm"; "add" for a `+`).
mlir::Location nameOperation(mlir::Location place, llvm::StringRef name);

/// The location of what is computed for the gradient of the operation at `loc`.
mlir::Location markGradient(mlir::Location loc);

/// Whether `loc` is of what is computed for a gradient.
bool isOfGradient(mlir::Location loc);

/// What the source calls the operation at `loc`; empty where no name is kept. Of a fused location the first one counts.
llvm::StringRef sourceName(mlir::Location loc);

/// The same, "the gradient of ..." where it is marked so.
std::string operationName(mlir::Location loc);

/// Where the spec calls the block that an operation is of, the outermost call; null of what is in no block. Of a fused
/// location the first one counts.
mlir::LocationAttr outermostCall(mlir::Location loc);

} // namespace stretto
