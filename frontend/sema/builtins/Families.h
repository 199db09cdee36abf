// The tables of built-in functions, one for each family.
#pragma once

#include "frontend/sema/builtins/Builtin.h"

namespace stretto::frontend {

inline constexpr bool required = true; // of a BuiltinParameter

/// Matmuls with weights, and weights themselves.
llvm::ArrayRef<Builtin> weightBuiltins();
/// Matmuls with the weights of experts.
llvm::ArrayRef<Builtin> expertBuiltins();
llvm::ArrayRef<Builtin> normBuiltins();
llvm::ArrayRef<Builtin> canonBuiltins();
/// What knows positions: positions, shift, rotary.
llvm::ArrayRef<Builtin> positionBuiltins();
llvm::ArrayRef<Builtin> attentionBuiltins();
/// Linear mixers: recurrences over a state for each head.
llvm::ArrayRef<Builtin> mixerBuiltins();
/// What is made of the columns of a row alone: concat, split, slice, spread, numbers.
llvm::ArrayRef<Builtin> columnBuiltins();
/// For what a model adds to its loss.
llvm::ArrayRef<Builtin> lossBuiltins();
/// Of training alone: dropout.
llvm::ArrayRef<Builtin> trainingBuiltins();
/// What is known and wanted of tensors, without computing anything.
llvm::ArrayRef<Builtin> annotationBuiltins();
/// Of tensors and of numbers.
llvm::ArrayRef<Builtin> elementwiseBuiltins();
/// Of numbers alone.
llvm::ArrayRef<Builtin> roundingBuiltins();
llvm::ArrayRef<Builtin> initializerBuiltins();

} // namespace stretto::frontend
