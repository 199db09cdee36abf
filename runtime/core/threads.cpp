// Threads that share out work by shape.
#include "runtime/core/threads.h"

#include <algorithm>
#include <chrono>
#include <immintrin.h>
#include <mutex>
#include <vector>

namespace stretto::runtime {
namespace {

// How long a thread looks for the next work before it sleeps: longer than what lies between two kernels of a step, and
// short against the turns a busy machine gives.
constexpr std::chrono::microseconds patience(50);
constexpr int64_t mostPieces = (int64_t(1) << 32) - 1;

struct Job {
  void (*call)(const void *, int64_t, int) = nullptr;
  const void *work = nullptr;
  int64_t count = 0;
};

class Pool {
public:
  ~Pool() {
    stopping = true;
    publish(0);
    for (std::thread &worker : workers)
      worker.join();
  }

  void setCount(int wanted) {
    std::lock_guard lock(running);
    count = std::max(1, wanted);
    while (static_cast<int>(workers.size()) < count - 1)
      workers.emplace_back(
          [this, index = static_cast<int>(workers.size()) + 1, seen = generation.load()] { serve(index, seen); });
  }
  int getCount() const { return count; }

  bool tryRun(const Job &next) {
    if (!running.try_lock())
      return false;
    std::lock_guard lock(running, std::adopt_lock);
    if (count == 1)
      return false;
    job = next;
    done = 0;
    publish(next.count);
    takePieces(generation, 0);
    for (int looks = 0; done.load(std::memory_order_acquire) != next.count; ++looks)
      looks < 1000 ? _mm_pause() : std::this_thread::yield();
    return true;
  }

private:
  // A ticket holds the number of the job in its upper half and how many pieces are left in its lower.
  void publish(int64_t pieces) {
    const uint32_t number = generation + 1;
    ticket = static_cast<uint64_t>(number) << 32 | static_cast<uint64_t>(pieces);
    generation = number;
    if (sleepers > 0)
      generation.notify_all();
  }

  // A job stays as it is while one of its pieces is taken and not done.
  void takePieces(uint32_t number, int thread) {
    uint64_t now = ticket;
    while (now >> 32 == number && static_cast<uint32_t>(now) > 0) {
      if (!ticket.compare_exchange_weak(now, now - 1))
        continue;
      job.call(job.work, job.count - static_cast<int64_t>(static_cast<uint32_t>(now)), thread);
      done.fetch_add(1, std::memory_order_release);
      now = ticket;
    }
  }

  void serve(int thread, uint32_t seen) {
    while (true) {
      awaitChange(seen);
      seen = generation;
      if (stopping)
        return;
      if (thread < count)
        takePieces(seen, thread);
    }
  }

  void awaitChange(uint32_t seen) {
    const auto end = std::chrono::steady_clock::now() + patience;
    do {
      for (int looks = 0; looks < 64; ++looks) {
        if (generation != seen)
          return;
        _mm_pause();
      }
    } while (std::chrono::steady_clock::now() < end);
    ++sleepers;
    generation.wait(seen);
    --sleepers;
  }

  std::mutex running; // held by the caller whose job it is
  Job job;
  alignas(64) std::atomic<uint64_t> ticket = 0;
  alignas(64) std::atomic<int64_t> done = 0;
  alignas(64) std::atomic<uint32_t> generation = 0;
  std::atomic<int> sleepers = 0, count = 1;
  std::atomic<bool> stopping = false;
  std::vector<std::thread> workers;
};

Pool &pool() {
  static Pool instance;
  return instance;
}

thread_local bool inPiece = false;

} // namespace

void setThreadCount(int count) { pool().setCount(count); }
int threadCount() { return pool().getCount(); }

void runPieces(int64_t count, void (*call)(const void *, int64_t, int), const void *work) {
  if (count > 1 && count <= mostPieces && !inPiece) {
    struct Inner {
      void (*call)(const void *, int64_t, int);
      const void *work;
    } inner{call, work};
    auto guarded = [](const void *data, int64_t piece, int thread) {
      const Inner &inner = *static_cast<const Inner *>(data);
      inPiece = true;
      inner.call(inner.work, piece, thread);
      inPiece = false;
    };
    if (pool().tryRun({guarded, &inner, count}))
      return;
  }
  for (int64_t piece = 0; piece < count; ++piece)
    call(work, piece, 0);
}

} // namespace stretto::runtime
