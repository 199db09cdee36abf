// Text cut into pieces and joined again.
#include "tasks/common/text.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::tasks;

static std::string cut(std::string_view text) {
  std::string joined;
  for (std::string_view piece : splitPieces(text))
    joined.append(joined.empty() ? "" : "|").append(piece);
  return joined;
}

// As GPT-2's tokenizer cuts them.
TEST(Text, pieces) {
  EXPECT_EQ(cut("Anya Briar's birthday is May 2, 1996."), "Anya| Briar|'s| birthday| is| May| 2|,| 1996|.");
  EXPECT_EQ(cut(" a  b\n\nc \td  "), " a| | b|\n|\n|c| |\t|d|  ");
  EXPECT_EQ(cut("we'll 'sure' x2y -- (e.g. this)!"), "we|'ll| '|sure|'| x|2|y| --| (|e|.|g|.| this|)!");
  EXPECT_EQ(cut("Zürich über"), "Zürich| über");
  EXPECT_EQ(cut(""), "");
}

// As the expression of GPT-2's tokenizer cuts them, with \p{L}, \p{N} and \s; what is no UTF-8 are signs.
TEST(Text, piecesBeyondAscii) {
  EXPECT_EQ(cut("“Zürich” – 5€, 10²½!"), "“|Zürich|”| –| 5|€,| 10²½|!");
  EXPECT_EQ(cut("naïve\u00a0\u00a0word\u3000。東京都２０２６年"),
            "naïve|\u00a0|\u00a0|word|\u3000|。|東京都|２０２６|年");
  EXPECT_EQ(cut("é\u0301 \u0301x नमस्ते १२ 🙂🙂ok…"), "é|\u0301| \u0301|x| नमस|्|त|े| १२| 🙂🙂|ok|…");
  EXPECT_EQ(cut("a\u2003 b \u00a0c\u00a0"), "a|\u2003| b| |\u00a0|c|\u00a0");
  EXPECT_EQ(cut("a\xc3\xff b\xe2\x80"), "a|\xc3\xff| b|\xe2\x80");
}

TEST(Text, tokensJoinToTheText) {
  Vocabulary words(2);
  const std::string text = " One two, one Two's  end.\n";
  std::vector<int32_t> tokens = words.encode(text);
  EXPECT_EQ(words.join(tokens), text);
  EXPECT_EQ(tokens[0], 2);
  EXPECT_EQ(words.encode(" two"), std::vector<int32_t>{tokens[1]});
  EXPECT_EQ(words.size(), 2 + 10);
  EXPECT_EQ(words.join(std::vector<int32_t>{0, tokens[0], 1}), " One");
}
