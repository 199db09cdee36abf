// Where packed documents begin, from the positions of their tokens.
#include "runtime/train/documents.h"

#include "runtime/core/error.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;

namespace {

std::string messageOf(const std::vector<int32_t> &positions, int64_t length, int64_t room = 100) {
  try {
    paddedStarts(positions, length, room);
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST(Documents, BeginWhereThePlaceIsZero) {
  const std::vector<int32_t> positions = {0, 1, 0, 1, 0, 1, 2, 0};
  EXPECT_EQ(documentStarts(positions, 4), (std::vector<int32_t>{0, 2, 4, 7}));
  EXPECT_EQ(paddedStarts(positions, 4, 6), (std::vector<int32_t>{0, 2, 4, 7, 8, 8, 8}));
  EXPECT_EQ(paddedStarts(positions, 4, 4), (std::vector<int32_t>{0, 2, 4, 7, 8}));
}

TEST(Documents, MayBeWholeSequences) {
  EXPECT_EQ(wholeSequences(6, 3), (std::vector<int32_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(documentStarts(wholeSequences(6, 3), 3), (std::vector<int32_t>{0, 3}));
}

TEST(Documents, PlacesMustCount) {
  const std::string rule =
      "positions must be 0 at the first token of a sequence and of each document and one more at each token "
      "after it, but got ";
  EXPECT_EQ(messageOf({0, 1, 2, 3}, 2), rule + "2 at token 0 of sequence 1");
  EXPECT_EQ(messageOf({0, 2}, 2), rule + "2 at token 1 of sequence 0");
  EXPECT_EQ(messageOf({0, 1, 1, 2}, 4), rule + "1 at token 2 of sequence 0");
  EXPECT_EQ(messageOf({-1, 0}, 2), rule + "-1 at token 0 of sequence 0");
}

TEST(Documents, MustHaveRoom) {
  EXPECT_EQ(messageOf({0, 1, 0, 1}, 4, 1),
            "a batch must hold at most 1 documents, but got 2; compile with a larger --max-documents");
  EXPECT_EQ(messageOf({0, 1, 0, 1}, 4, 2), "");
}
