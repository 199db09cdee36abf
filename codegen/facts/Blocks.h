//===- Blocks.h - which block of the spec an operation belongs to -------------===//
#pragma once

#include "codegen/memory/Timeline.h"

#include "llvm/ADT/StringMap.h"

namespace stretto::codegen {

/// Names the blocks of a model by the parameters they use: "embed", "layers.{}.attention". An operation belongs to the
/// block of the matmul or embedding at its place in the spec (gradients have the place of what they are the gradient
/// of), else to the block whose call in the spec it comes from; what belongs to none is "model".
class BlockNames {
public:
  /// Looks at all functions of an entry point.
  explicit BlockNames(const Timeline &timeline);
  std::string of(mlir::Operation *op) const;
  /// The block of a parameter: its name without the last two words ("embed.weight" without the last one).
  static std::string ofParameter(mlir::StringRef name);

private:
  llvm::StringMap<std::string> byPlace, byCall;
};

} // namespace stretto::codegen
