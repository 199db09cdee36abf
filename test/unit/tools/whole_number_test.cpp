// Whole numbers as options.
#include "tools/support/tool_main.h"

#include <gtest/gtest.h>

namespace stretto::tools {
namespace {

TEST(WholeNumber, IsReadAsItWasWritten) {
  const CLI::Validator number = wholeNumber(1, 1000);
  std::string text = "1e3";
  EXPECT_EQ(number(text), "");
  EXPECT_EQ(text, "1000");
  text = std::string(60, '0') + "7";
  EXPECT_EQ(number(text), "");
  text = "1\n";
  EXPECT_EQ(number(text), "must be an integer in 1..1000, but got '1.'");
  text = "1001";
  EXPECT_EQ(number(text), "must be an integer in 1..1000, but got '1001'");
}

} // namespace
} // namespace stretto::tools
