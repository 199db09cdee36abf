// The thread pool.
#include "runtime/core/threads.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace stretto;
using namespace stretto::runtime;

namespace {

// Counts how often each piece was done.
std::vector<int> countPieces(int64_t pieces) {
  std::vector<int> done(pieces); // each piece writes its own number
  parallelFor(pieces, [&](int64_t piece, int) { ++done[piece]; });
  return done;
}

} // namespace

TEST(Threads, EachPieceIsDoneOnce) {
  for (int threads : {1, 2, 3, 8}) {
    setThreadCount(threads);
    for (int64_t pieces : {0, 1, 2, 7, 1000})
      for (int repetition = 0; repetition < 200; ++repetition)
        ASSERT_EQ(countPieces(pieces), std::vector<int>(pieces, 1)) << threads << " threads";
  }
}

TEST(Threads, ThreadsHaveNumbersOfTheirOwn) {
  setThreadCount(4);
  std::vector<int> calls(4);
  for (int repetition = 0; repetition < 50; ++repetition)
    onEachThread([&](int thread) { ++calls[thread]; });
  EXPECT_EQ(calls, std::vector<int>(4, 50));
  setThreadCount(2); // the others sleep from now on
  for (int repetition = 0; repetition < 200; ++repetition)
    parallelFor(16, [&](int64_t, int thread) { EXPECT_LT(thread, 2); });
}

TEST(Threads, WorkWithinWorkAndFromTwoThreadsIsDone) {
  setThreadCount(3);
  std::vector<std::vector<int>> inner(8);
  parallelFor(8, [&](int64_t piece, int) { inner[piece] = countPieces(20); });
  EXPECT_EQ(inner, std::vector(8, std::vector<int>(20, 1)));
  std::vector<int> wrong(2);
  auto work = [&](int self) {
    for (int repetition = 0; repetition < 2000; ++repetition)
      wrong[self] += countPieces(10) != std::vector<int>(10, 1);
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(wrong, (std::vector<int>{0, 0}));
}
