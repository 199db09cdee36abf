// JSON, read and written.
#include "runtime/core/error.h"
#include "runtime/train/json.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;

TEST(Json, ValuesAreWrittenAsTheyWereRead) {
  for (const char *text : {"null", "true", "-3", "18446744073709551615", "0.25", "1.0", "1e+300", "\"a\\n\\\"\"", "[]",
                           "{}", "{\"b\":[1,{\"a\":\"x\"},[]],\"a\":{}}"})
    EXPECT_EQ(formatJson(parseJson(text, 4)), text);
}

TEST(Json, NumbersTellTheirForm) {
  auto integer = [](const char *text) { return parseJson(text, 1).asInteger(); };
  EXPECT_EQ(integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(integer("-9223372036854775808"), INT64_MIN);
  for (const char *text : {"9223372036854775808", "1.0", "\"1\"", "null", "true", "[]"})
    EXPECT_EQ(integer(text), std::nullopt) << text;
  auto number = [](const char *text) { return parseJson(text, 1).asNumber(); };
  EXPECT_EQ(number("-2"), -2.0);
  EXPECT_EQ(number("18446744073709551615"), 18446744073709551615.0);
  EXPECT_EQ(number("2.5"), 2.5);
  EXPECT_EQ(number("\"nan\""), std::nullopt);
}

TEST(Json, DepthIsLimited) {
  EXPECT_NO_THROW(parseJson("[[[]]]", 3));
  EXPECT_THROW(parseJson("[[[]]]", 2), Error);
  EXPECT_THROW(parseJson(std::string(200000, '['), 64), Error);
}
