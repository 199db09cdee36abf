// The narrow door to LibTorch on the CPU: memory and threads.
#include "runtime/device/cpu/library.h"

#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <mutex>
#include <unordered_map>

namespace stretto::runtime {
namespace {

// Counts what goes through LibTorch's CPU allocator; the memory itself comes from the allocator before it.
class CountingAllocator final : public c10::Allocator {
public:
  explicit CountingAllocator(c10::Allocator *inner) : inner(inner) {}

  c10::DataPtr allocate(size_t bytes) override {
    c10::DataPtr data = inner->allocate(bytes);
    void *address = data.release_context();
    {
      std::lock_guard lock(mutex);
      sizes[address] = bytes;
      live += bytes;
      peak = std::max(peak, live);
    }
    return {address, address, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void *to, const void *from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  static void release(void *address);

  c10::Allocator *inner;
  std::mutex mutex;
  std::unordered_map<void *, size_t> sizes;
  int64_t live = 0, peak = 0;
};

CountingAllocator *counting = nullptr;
std::once_flag installed;

void CountingAllocator::release(void *address) {
  if (!address)
    return;
  std::lock_guard lock(counting->mutex);
  auto found = counting->sizes.find(address);
  counting->live -= static_cast<int64_t>(found->second);
  counting->sizes.erase(found);
  counting->inner->raw_deleter()(address);
}

} // namespace

void countLibraryMemory() {
  std::call_once(installed, [] {
    counting = new CountingAllocator(c10::GetCPUAllocator());
    c10::SetCPUAllocator(counting, /*priority=*/100);
  });
}

void *libraryAllocate(int64_t bytes) {
  try {
    void *data = counting->inner->allocate(static_cast<size_t>(bytes)).release_context();
    return data;
  } catch (const std::exception &) {
    return nullptr;
  }
}

void libraryRelease(void *data) { counting->inner->raw_deleter()(data); }

int64_t libraryTemporaryPeak() {
  std::lock_guard lock(counting->mutex);
  return counting->peak;
}

void setLibraryThreads(int count) { at::set_num_threads(count); }

} // namespace stretto::runtime
