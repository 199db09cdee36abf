// What is UTF-8 and what is not.
#include "runtime/core/utf8.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;

// One to four bytes, each at the ends of its range; a letter follows.
TEST(Utf8, charactersAreWhole) {
  for (const char *text : {"\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    const std::string whole = std::string("a") + text + "b";
    EXPECT_EQ(validUtf8(whole), whole.size()) << text;
    for (size_t size = 2; size + 1 < whole.size(); ++size)
      EXPECT_EQ(validUtf8(whole.substr(0, size)), 1u) << text;
  }
  EXPECT_EQ(validUtf8(""), 0u);
  EXPECT_EQ(validUtf8(std::string("a\0b", 3)), 3u);
}

// Bytes that open nothing, forms that are longer than need be, halves of pairs, and what lies beyond U+10FFFF.
TEST(Utf8, otherBytesAreFound) {
  for (const char *text : {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xc3(", "\xe0\x9f\xbf", "\xe2\x82(", "\xed\xa0\x80",
                           "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    for (const char *after : {"", "c", "\x80"})
      EXPECT_EQ(validUtf8(std::string("ab") + text + after), 2u) << text << after;
}

TEST(Utf8, messagesPrint) {
  EXPECT_EQ(printable("a\n\xc3\xa9\xff\x7f b"), "a.\xc3\xa9.. b");
  EXPECT_EQ(printable(std::string(40, 'x')), std::string(40, 'x'));
  EXPECT_EQ(printable(std::string(41, 'x')), std::string(40, 'x') + "...");
}
