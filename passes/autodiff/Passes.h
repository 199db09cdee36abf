//===- Passes.h - derivatives -------------------------------------------------===//
#pragma once

#include "ir/seq/Marks.h"
#include "ir/seq/SeqOps.h"
#include "passes/support/CostModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace stretto::passes {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/autodiff/Passes.h.inc"

/// Number that an operation of a forward shares with its copies in the backward (until seq-split-saved).
inline constexpr llvm::StringLiteral kIdAttr = "seq.id";
/// Bytes of a value that the forward keeps for the backward; on arguments too.
inline constexpr llvm::StringLiteral kSavedAttr = "seq.saved";
/// On a function with a backward: bytes of all forward values that it reads.
inline constexpr llvm::StringLiteral kSavedBytesAttr = "seq.saved_bytes";
/// Tokens of a segment that a mixer is to have (until seq-set-segments).
inline constexpr llvm::StringLiteral kSegmentAttr = "seq.segment";
} // namespace stretto::passes
