// What a kernel may touch.
#include "runtime/device/cpu/only_buffers.h"

#include <algorithm>
#include <utility>

// AddressSanitizer's own functions; null where the program goes without it.
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void *, size_t);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void *, size_t);
}

namespace stretto::runtime {

// Which bytes of a buffer the chunks of a launch touch: [first, second).
static std::pair<int64_t, int64_t> bytesOf(const LaunchOp &op, int64_t buffer) {
  const int64_t all = op.kernel->buffer_bytes[buffer];
  const int64_t ofChunk = op.kernel->chunk_bytes ? op.kernel->chunk_bytes[buffer] : 0;
  return ofChunk ? std::pair{op.begin * ofChunk, std::min(all, op.end * ofChunk)} : std::pair{int64_t(0), all};
}

bool OnlyBuffers::areGuarded() { return __asan_poison_memory_region != nullptr; }

OnlyBuffers::OnlyBuffers(const Allocations &allocations, const LaunchOp &op)
    : allocations(allocations), guards(areGuarded() && op.kernel->buffer_bytes) {
  if (!guards)
    return;
  for (const auto &[data, bytes] : allocations)
    __asan_poison_memory_region(data, bytes);
  for (int64_t i = 0; i < op.kernel->buffers; ++i) {
    const auto [begin, end] = bytesOf(op, i);
    __asan_unpoison_memory_region(static_cast<char *>(op.buffers[i]) + begin, end - begin);
  }
}

OnlyBuffers::~OnlyBuffers() {
  if (guards)
    for (const auto &[data, bytes] : allocations)
      __asan_unpoison_memory_region(data, bytes);
}

} // namespace stretto::runtime
