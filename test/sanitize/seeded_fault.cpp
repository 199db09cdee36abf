// Faults on purpose, each of which a sanitizer must find: where it does not, it would find nothing elsewhere.
//   stretto-seeded-fault NAME
#include "runtime/core/arenas.h"
#include "runtime/core/context.h"
#include "runtime/core/threads.h"
#include "runtime/train/batches.h"

#include <atomic>
#include <cstdio>
#include <limits>
#include <string_view>

using namespace stretto;
using namespace stretto::runtime;

namespace {

// Two threads of the pool add to one number, one after the other by what orders nothing for the second: accesses at the
// same moment can escape ThreadSanitizer.
void raceOfPieces() {
  setThreadCount(2);
  std::atomic<int> next = 0;
  int64_t sum = 0;
  onEachThread([&](int thread) {
    while (next.load(std::memory_order_relaxed) != thread)
      std::this_thread::yield();
    ++sum;
    next.store(thread + 1, std::memory_order_relaxed);
  });
  std::printf("%ld\n", static_cast<long>(sum));
}

// A source that counts its calls, on the prefetcher's thread, for the trainer to read.
class CountingSource final : public BatchSource {
public:
  TokenBlock make(Stream, uint64_t, int64_t, int64_t) const override {
    calls = calls + 1;
    return {};
  }
  std::vector<Score> score(uint64_t, const BatchView &, const Predictions &) const override { return {}; }
  std::string identity() const override { return ""; }
  mutable volatile int64_t calls = 0;
};

void raceWithPrefetcher() {
  const CountingSource source;
  const auto alone = groupOfOne();
  Prefetcher data(source, 0, {1, 0, 1}, 1, *alone);
  data.next();
  while (source.calls < 2) // what it prepares ahead
    std::this_thread::yield();
}

// What an op reads is changed while the device may be at it: before, but nothing orders that for the device.
void raceWithDevice() {
  const auto device = makeDevice("null-async");
  static const auto count = [](void *const *buffers, int64_t, int64_t, void *) {
    ++*static_cast<int64_t *>(buffers[0]);
  };
  stretto_kernel kernel{};
  kernel.name = "count";
  kernel.function = count;
  kernel.chunks = kernel.buffers = 1;
  int64_t number = 0;
  std::atomic<bool> isChanged = false;
  std::thread waiting([&] {
    while (!isChanged.load(std::memory_order_relaxed))
      std::this_thread::yield();
    device->submit(LaunchOp{&kernel, {&number}});
    device->wait();
  });
  ++number;
  isChanged.store(true, std::memory_order_relaxed);
  waiting.join();
  std::printf("%ld\n", static_cast<long>(number));
}

// A kernel clears one number more than it says, or than the arena has where it says nothing.
void clearOneMore(int64_t chunks, const int64_t *bytes) {
  const auto device = makeDevice("cpu");
  stretto_program program{};
  program.arena_bytes[STRETTO_ARENA_ACTIVATIONS] = 1000 * sizeof(float);
  const Arenas arenas(*device, program, false);
  stretto_kernel kernel{};
  kernel.name = "clear";
  kernel.function = [](void *const *buffers, int64_t begin, int64_t end, void *) {
    for (int64_t i = begin; i < end; ++i)
      static_cast<float *>(buffers[0])[i] = 0;
  };
  kernel.chunks = chunks;
  kernel.buffers = 1;
  kernel.buffer_bytes = bytes;
  device->submit(LaunchOp{&kernel, {arenas.base(STRETTO_ARENA_ACTIVATIONS)}});
}
void outsideOfArena() { clearOneMore(1001, nullptr); }
void outsideOfBuffer() {
  const int64_t bytes = 500 * sizeof(float);
  clearOneMore(501, &bytes);
}

void overflow() {
  volatile int64_t rows = std::numeric_limits<int64_t>::max();
  std::printf("%ld\n", static_cast<long>(rows + 1));
}

constexpr struct {
  std::string_view name;
  void (*run)();
} faults[] = {{"race-of-pieces", raceOfPieces},       {"race-with-prefetcher", raceWithPrefetcher},
              {"race-with-device", raceWithDevice},   {"outside-of-arena", outsideOfArena},
              {"outside-of-buffer", outsideOfBuffer}, {"overflow", overflow}};

} // namespace

int main(int argc, char **argv) {
  for (const auto &[name, run] : faults)
    if (argc == 2 && argv[1] == name)
      return run(), 0;
  std::fprintf(stderr, "name one fault:");
  for (const auto &fault : faults)
    std::fprintf(stderr, " %s", fault.name.data());
  std::fprintf(stderr, "\n");
  return 2;
}
