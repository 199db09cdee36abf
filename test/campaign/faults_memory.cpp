// Allocations of C and C++: operator new asks malloc, too.
#include "test/campaign/faults.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace {

std::atomic<long> left = 0; // until one fails; 0: none does
std::atomic<bool> all = false;

bool fails() {
  if (left.load(std::memory_order_relaxed) == 0)
    return false;
  if (all && left == 1)
    return true;
  return left.fetch_sub(1) == 1;
}

void *refuse() {
  errno = ENOMEM;
  return nullptr;
}

} // namespace

void faults::beginAllocations(const char *setting) {
  long number = 0;
  char when[8] = "";
  left = 0;
  all = std::sscanf(setting, "%ld:%7s", &number, when) == 2;
  left = number;
}

// How many allocations are still to come before one fails.
extern "C" long strettoAllocationsLeft() { return left; }

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

#pragma GCC visibility push(default)
void *malloc(size_t bytes) { return fails() ? refuse() : __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return fails() ? refuse() : __libc_calloc(count, bytes); }
void *realloc(void *old, size_t bytes) { return fails() ? refuse() : __libc_realloc(old, bytes); }
void *memalign(size_t alignment, size_t bytes) { return fails() ? refuse() : __libc_memalign(alignment, bytes); }
void *aligned_alloc(size_t alignment, size_t bytes) { return fails() ? refuse() : __libc_memalign(alignment, bytes); }
int posix_memalign(void **result, size_t alignment, size_t bytes) {
  if (fails())
    return ENOMEM;
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : ENOMEM;
}
#pragma GCC visibility pop
}
