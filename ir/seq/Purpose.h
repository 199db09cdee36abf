//===- Purpose.h - what entry points and operations are for, as attributes ------===//
#pragma once

#include "ir/seq/SeqOps.h"

namespace stretto {

/// On the entry points of a program: an EntryKind.
inline constexpr llvm::StringLiteral entryAttr = "seq.entry";

/// On operations that compare logits with targets, and on the kernels they are in.
inline constexpr llvm::StringLiteral lossAttr = "seq.loss";

inline void setEntryKind(mlir::Operation *function, seq::EntryKind kind) {
  function->setAttr(entryAttr, seq::EntryKindAttr::get(function->getContext(), kind));
}

/// Whether a function is an entry point of that kind.
inline bool isEntry(mlir::Operation *function, seq::EntryKind kind) {
  auto attr = function->getAttrOfType<seq::EntryKindAttr>(entryAttr);
  return attr && attr.getValue() == kind;
}

inline void markLoss(mlir::Operation *op) { op->setAttr(lossAttr, mlir::UnitAttr::get(op->getContext())); }

} // namespace stretto
