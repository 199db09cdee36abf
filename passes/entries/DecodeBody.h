//===- DecodeBody.h - functions of a model for a few tokens -------------------===//
#pragma once

#include "passes/analysis/RowAnalysis.h"

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace stretto::passes {

/// An entry that goes `rows` tokens on in each of `batch` sequences of at most `length`; `longest`: the most rows of
/// any entry that shares its caches.
struct DecodeShape {
  std::string name;
  int64_t batch, length, rows, longest;
};

/// Adds `@name(%tokens, %positions, %counts) -> logits`, made from `main` with layers written as row operations, and
/// the caches it needs where the module lacks them. `kinds` says which values of `main` are rows. Emits an error at
/// what a position computes from later ones.
mlir::LogicalResult addDecodeEntry(mlir::func::FuncOp main, const DecodeShape &shape, const RowAnalysis &kinds);

} // namespace stretto::passes
