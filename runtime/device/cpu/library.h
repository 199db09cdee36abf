// The narrow door to LibTorch on the CPU: memory, threads, flash attention. Only library.cpp and
// attention.cpp see its headers.
#pragma once

#include "runtime/core/op.h"

namespace stretto {

// Softmax attention by LibTorch's flash attention for CPU, reading and writing the given addresses.
void attention(const AttentionOp &op);
void attentionGrad(const AttentionGradOp &op);

// Puts a counting allocator before LibTorch's; harmless when repeated.
void countLibraryMemory();
// Memory from that allocator, counted as ours; null when there is none.
void *libraryAllocate(int64_t bytes);
void libraryRelease(void *data);
// The most bytes held at once that libraryAllocate did not hand out.
int64_t libraryTemporaryPeak();

void setLibraryThreads(int count);

} // namespace stretto
