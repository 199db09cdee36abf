// What devices do with operations of the library (operation.h).
#pragma once

#include "runtime/core/matmul_shape.h"
#include "runtime/core/op.h"

#include <functional>
#include <vector>

namespace stretto::runtime {

// Throws Error where no library of the program has one of them.
void expectKnown(const std::vector<LibraryOp> &ops);

// `scratch` gives memory for all threads, so many bytes for each.
void runOnCpu(const LibraryOp &op, const std::function<char *(int64_t bytesPerThread)> &scratch);
// How many bytes a thread needs for an operation on the CPU.
int64_t scratchBytes(const LibraryOp &op);
// The matmuls that its threads compute there.
std::vector<MatmulShape> matmulsOf(const LibraryOp &op);
// On the stream that is LibTorch's current one; `capability`: the major compute capability of the GPU.
void runOnGpu(const LibraryOp &op, int gpu, int capability);

} // namespace stretto::runtime
