//===- Blocks.h - which block of the spec an operation belongs to -------------===//
#pragma once

#include "codegen/memory/Timeline.h"

#include "llvm/ADT/StringMap.h"

namespace stretto {

/// Names the blocks of a model by the parameters they use: "embed", "layers.{}.attention". Operations without
/// parameters belong to the block whose call in the spec they come from; what belongs to none is "model".
class BlockNames {
public:
  /// Looks at all functions of an entry point.
  explicit BlockNames(const Timeline &timeline);
  std::string of(mlir::Operation *op) const;
  /// The block of a parameter: its name without the last two words ("embed.weight" without the last one).
  static std::string ofParameter(mlir::StringRef name);

private:
  llvm::StringMap<std::string> byCall;
};

} // namespace stretto
