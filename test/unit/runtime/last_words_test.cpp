// Why a rank ended, for the user.
#include "runtime/dist/last_words.h"

#include <gtest/gtest.h>

using stretto::runtime::lastWords, stretto::runtime::toldError;

namespace {

constexpr int killed = 9, failed = 3 << 8; // as waitpid tells them

} // namespace

TEST(LastWords, TheErrorThatWasPrintedLast) {
  EXPECT_EQ(lastWords(2, 7, failed, "step 1\nerror: one\nerror: two\n  with a note\n\n"),
            "rank 2 (pid 7): two\n  with a note");
  EXPECT_EQ(lastWords(2, 7, failed, "error: all"), "rank 2 (pid 7): all");
}

TEST(LastWords, WhetherAnErrorWasPrinted) {
  EXPECT_TRUE(toldError("step 1\nerror: one\n"));
  EXPECT_FALSE(toldError(""));
  EXPECT_FALSE(toldError("warning: no error: here\n"));
}

TEST(LastWords, HowItEndedAndItsLastLines) {
  EXPECT_EQ(lastWords(2, 7, failed, ""), "rank 2 (pid 7) ended with status 3");
  EXPECT_EQ(lastWords(2, 7, killed, ""), "rank 2 (pid 7) ended by signal 9");
  EXPECT_EQ(lastWords(2, 7, failed, "no error: here\n"),
            "rank 2 (pid 7) ended with status 3; it said last:\n  no error: here");
  std::string said, expected = "rank 2 (pid 7) ended by signal 9; it said last:";
  for (int i = 0; i < 20; ++i)
    said += std::to_string(i) + "\n";
  for (int i = 12; i < 20; ++i)
    expected += "\n  " + std::to_string(i);
  EXPECT_EQ(lastWords(2, 7, killed, said), expected);
}

// A rank that was killed did not end because of an error that it had told before.
TEST(LastWords, ASignalCountsMoreThanWhatWasSaid) {
  EXPECT_EQ(lastWords(1, 7, killed, "error: before"),
            "rank 1 (pid 7) ended by signal 9; it said last:\n  error: before");
}
