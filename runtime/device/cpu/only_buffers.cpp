// What a kernel may touch.
#include "runtime/device/cpu/only_buffers.h"

// AddressSanitizer's own functions; null where the program goes without it.
extern "C" {
[[gnu::weak]] void __asan_poison_memory_region(const volatile void *, size_t);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void *, size_t);
}

namespace stretto::runtime {

OnlyBuffers::OnlyBuffers(const Allocations &allocations, const LaunchOp &op)
    : allocations(allocations), guards(__asan_poison_memory_region && op.kernel->buffer_bytes) {
  if (!guards)
    return;
  for (const auto &[data, bytes] : allocations)
    __asan_poison_memory_region(data, bytes);
  for (int64_t i = 0; i < op.kernel->buffers; ++i)
    __asan_unpoison_memory_region(op.buffers[i], op.kernel->buffer_bytes[i]);
}

OnlyBuffers::~OnlyBuffers() {
  if (guards)
    for (const auto &[data, bytes] : allocations)
      __asan_unpoison_memory_region(data, bytes);
}

} // namespace stretto::runtime
