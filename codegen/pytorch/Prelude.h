#pragma once

#include "llvm/ADT/StringRef.h"

namespace stretto {
/// The text of Prelude.py.
extern const llvm::StringRef kPrelude;
} // namespace stretto
