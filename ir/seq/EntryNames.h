//===- EntryNames.h - what the entry points of a program are called -----------===//
#pragma once

#include "llvm/ADT/StringRef.h"

/// Passes make functions of these names, and programs bind them by these names; stretto_program says what each does.
namespace stretto::entryname {

inline constexpr llvm::StringLiteral evaluate = "evaluate", gradients = "gradients";
/// Only where text is generated, both.
inline constexpr llvm::StringLiteral decodeOne = "decode_one", decodeChunk = "decode_chunk";
inline constexpr llvm::StringLiteral squares = "squares", norm = "norm", apply = "apply", accumulate = "accumulate",
                                     takeAccumulated = "take_accumulated";
/// Only with activations of bf16.
inline constexpr llvm::StringLiteral roundParameters = "round_parameters";

} // namespace stretto::entryname
