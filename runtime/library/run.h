// What devices do with operations of the library (operation.h).
#pragma once

#include "runtime/core/op.h"

#include <vector>

namespace stretto::runtime {

// Throws Error where no library of the program has one of them.
void expectKnown(const std::vector<LibraryOp> &ops);

void runOnCpu(const LibraryOp &op);
// On the stream that is LibTorch's current one.
void runOnGpu(const LibraryOp &op, int gpu);

} // namespace stretto::runtime
