//===- Documents.h - documents packed into a sequence, as a fact of the module --===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace stretto {

/// On a module (an i64): a sequence may hold several documents, which are masked. The number says for how many
/// documents of a batch a device that wants their starts has room; 0 where none is told.
inline constexpr llvm::StringLiteral documentsAttr = "seq.documents";

/// On arguments of entry functions: what the argument is, where it is not the tokens, the targets or the weights.
inline constexpr llvm::StringLiteral inputAttr = "seq.input";
inline constexpr llvm::StringLiteral positionsInput = "positions", startsInput = "starts",
                                     dropoutKeysInput = "dropout_keys";

/// Room for the starts of documents; nothing where documents are not masked.
inline std::optional<int64_t> documentsOf(mlir::ModuleOp module) {
  auto attr = module->getAttrOfType<mlir::IntegerAttr>(documentsAttr);
  return attr ? std::optional(attr.getInt()) : std::nullopt;
}

} // namespace stretto
