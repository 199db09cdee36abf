//===- ModelFacts.h - what a module says of its model -------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace stretto {

/// On a module: the name of its model, and the text and parameters that it was made from.
inline constexpr llvm::StringLiteral modelAttr = "seq.model", specTextAttr = "seq.spec_text",
                                     settingsAttr = "seq.settings";
/// The text of the stage that was continued.
inline constexpr llvm::StringLiteral continuedFromAttr = "seq.continued_from";

/// What the learning rates and weight decays of some weights were asked to be multiplied by (text). Parameters say what
/// they are.
inline constexpr llvm::StringLiteral lrFactorsAttr = "seq.lr_factors",
                                     weightDecayFactorsAttr = "seq.weight_decay_factors";

/// Sequences of a batch, tokens of a sequence, and how many tokens there are (i64 each).
inline constexpr llvm::StringLiteral batchAttr = "seq.batch", lengthAttr = "seq.length",
                                     vocabularyAttr = "seq.vocabulary";

/// One of these numbers, which must be there.
inline int64_t countOf(mlir::ModuleOp module, llvm::StringRef name) {
  return module->getAttrOfType<mlir::IntegerAttr>(name).getInt();
}

} // namespace stretto
