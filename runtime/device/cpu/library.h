// The narrow door to LibTorch on the CPU: memory and threads. Only library.cpp sees its headers.
#pragma once

#include <cstdint>

namespace stretto::runtime {

// Puts a counting allocator before LibTorch's; harmless when repeated.
void countLibraryMemory();
// Memory from that allocator, counted as ours; null when there is none.
void *libraryAllocate(int64_t bytes);
void libraryRelease(void *data);
// The most bytes held at once that libraryAllocate did not hand out.
int64_t libraryTemporaryPeak();

void setLibraryThreads(int count);

} // namespace stretto::runtime
