// Seeded mutations of token files, lists and tokenizers: no bytes may crash a reader, and what it reads works.
#include "test/fuzz/ListsInput.h"
#include "test/fuzz/Mutated.h"
#include "test/fuzz/TokenizerInput.h"
#include "test/fuzz/TokensInput.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace stretto;
using namespace stretto::tasks;
using namespace stretto::runtime;
using test::mutated, test::Pieces;

namespace {

// How many of the mutations of some inputs the reader takes.
template <typename Check> int takenOf(int count, const std::vector<std::string> &inputs, const Pieces &pieces,
                                      Check check) {
  Random random(20261122, 6, 0);
  int taken = 0;
  for (int i = 0; i < count; ++i)
    taken += check(mutated(inputs[random.below(inputs.size())], random, pieces));
  return taken;
}

std::string tokenFile(int64_t vocabulary) {
  std::ostringstream out;
  const std::vector<int32_t> ids = {0, 1, 5, 8, 3, 0, 2, 2, 7};
  const TokenHeader header = {.vocabulary = vocabulary, .separator = 3, .opener = 0, .count = int64_t(ids.size())};
  writeTokenHeader(out, header);
  writeTokens(out, header, ids);
  return out.str();
}

} // namespace

TEST(ReaderMutations, tokenFiles) {
  const Pieces pieces = {
      std::string(1, '\0'), std::string(2, '\0'), "\xff\xff", std::string(8, '\xff'), "\x7f", "sttokens"};
  const int taken = takenOf(50000, {tokenFile(9), tokenFile(70000)}, pieces, test::checkTokensInput);
  EXPECT_GT(taken, 2000);
  EXPECT_LT(taken, 40000);
}

TEST(ReaderMutations, lists) {
  std::vector<std::string> inputs;
  for (const auto &[name, text] : test::smallLists()) {
    const auto number = char(inputs.size() / 2);
    inputs.push_back(number + text);
    inputs.push_back(char(number | 0x80) + text);
  }
  const Pieces pieces = {"{city}", "{name}", "{",  "}",     " | ",  "|",        "\n",
                         "\r\n",   " ",      "  ", "{his}", "Oslo", "\xc3\xa9", "."};
  const int taken = takenOf(20000, inputs, pieces, test::checkListsInput);
  EXPECT_GT(taken, 2000);
  EXPECT_LT(taken, 16000);
}

TEST(ReaderMutations, tokenizers) {
  const std::string files = std::string("{\"a\": 0, \"b\": 1, \"\\u0120\": 2, \"ab\": 3, \"\xc4\xa0"
                                        "ab\": 4}") +
                            '\0' + "#version: 0.2\na b\n\xc4\xa0 ab\n" + '\0' + "ab abba b";
  const Pieces pieces = {"\"", ":",  ",",          "{",        "}",         "\\u0121",           "\\", " ", "\n",
                         "12", "-1", "2147483648", "\xc4\xa1", "\"b\": 9,", std::string(1, '\0')};
  const int taken = takenOf(50000, {files}, pieces, test::checkTokenizerInput);
  EXPECT_GT(taken, 2000);
  EXPECT_LT(taken, 40000);
}

// Sizes that a header promises are checked before anything is read or multiplied.
TEST(ReaderMutations, hostileSizesEnd) {
  const std::string good = tokenFile(70000), zeros(8, '\0'), ones(8, '\xff'), ends = zeros.substr(1);
  const auto takes = [&](size_t at, const std::string &number) {
    return test::checkTokensInput(std::string(good).replace(at, 8, number));
  };
  for (size_t at : {12, 16, 40}) // width, vocabulary, count
    for (const std::string &number :
         {zeros, ones, ones.substr(1) + '\x7f', ends + '\x80', ends + '\x40', ends + '\x20'})
      EXPECT_FALSE(takes(at, number)) << at << " " << int(number[0]) << " " << int(number[7]);
  for (size_t at : {24, 32}) { // what ends and opens documents
    EXPECT_TRUE(takes(at, zeros) && takes(at, ones));
    EXPECT_FALSE(takes(at, ends + '\x80') || takes(at, ones.substr(1) + '\x7f'));
  }
  EXPECT_TRUE(test::checkTokensInput(good.substr(0, 40) + zeros));
}
