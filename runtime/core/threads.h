// Threads that share out work by shape. The first free thread takes the next piece, so that a thread that the system
// has put aside holds nobody up: on a busy machine the caller does most of the work itself, instead of waiting at a
// barrier as OpenMP's threads do. Which thread does a piece never changes a bit.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace stretto::runtime {

// How many threads `parallelFor` uses from now on, the caller included; at least 1.
void setThreadCount(int count);
int threadCount();

// Calls call(work, piece, thread) once for each piece < count, thread in 0 .. threadCount()-1; returns when all are
// done. Pieces start in order. From within a piece, or while another thread is at it, the caller does all of it, as
// thread 0. Pieces must not throw, and must not wait for each other except by onEachThread.
void runPieces(int64_t count, void (*call)(const void *work, int64_t piece, int thread), const void *work);

// The same for a callable work(piece, thread).
template <typename Work> void parallelFor(int64_t count, const Work &work) {
  runPieces(
      count, [](const void *data, int64_t piece, int thread) { (*static_cast<const Work *>(data))(piece, thread); },
      &work);
}

// Calls work(thread) once on each thread, all at the same time.
template <typename Work> void onEachThread(const Work &work) {
  std::atomic<int> started = 0;
  const int count = threadCount();
  parallelFor(count, [&](int64_t, int thread) {
    ++started;
    while (started < count) // nobody takes a second piece before all have one
      std::this_thread::yield();
    work(thread);
  });
}

} // namespace stretto::runtime
