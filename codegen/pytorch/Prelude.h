//===- Prelude.h - the helpers of emitted PyTorch modules ------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace stretto::codegen {
/// The text of Prelude.py.
extern const llvm::StringRef kPrelude;

/// Makes helpers of an extension known: Python functions, two blank lines between them. An operation without a form of
/// its own is a call of the function of its name: operands, then attributes by name.
void addPyTorchHelpers(llvm::StringRef text);

/// Whether there is a helper of that name.
bool isPyTorchHelper(llvm::StringRef name);
} // namespace stretto::codegen
