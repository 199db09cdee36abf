//===- Backends.h - all kinds of devices that programs can be made for ----------===//
#pragma once

#include "codegen/target/Backend.h"

namespace stretto::codegen {

/// In the order of the help; the first is the usual one.
llvm::ArrayRef<const Backend *> allBackends();

/// The backend that --target names; null where there is none.
const Backend *findBackend(llvm::StringRef name);

} // namespace stretto::codegen
