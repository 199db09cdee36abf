// Seeded mutations of the models: no input may crash, hang or take unbounded memory.
#include "test/fuzz/FrontendInput.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <random>

namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator at(STRETTO_MODELS, error), end; at != end && !error;
       at.increment(error))
    if (llvm::StringRef(at->path()).ends_with(".stretto"))
      if (auto buffer = llvm::MemoryBuffer::getFile(at->path()))
        texts.push_back((*buffer)->getBuffer().str());
  return texts;
}

class Mutator {
public:
  Mutator(uint32_t seed, const std::vector<std::string> &texts) : random(seed), texts(texts) {}

  std::string next() {
    std::string text = texts[below(texts.size())];
    for (unsigned i = 0, n = 1 + below(4); i < n; ++i)
      mutate(text);
    return text;
  }

private:
  size_t below(size_t n) { return n ? random() % n : 0; }

  void mutate(std::string &text) {
    static const char *const pieces[] = {"(",
                                         ")",
                                         "{",
                                         "}",
                                         ",",
                                         "=",
                                         "==",
                                         "-",
                                         "/",
                                         "%",
                                         "0",
                                         "1",
                                         "-1",
                                         "9223372036854775807",
                                         "1e300",
                                         "if ",
                                         "else ",
                                         "then ",
                                         "repeat 3 ",
                                         "in ",
                                         "not ",
                                         "return ",
                                         "x",
                                         "dim",
                                         "tokens",
                                         "canon(",
                                         "linear(x, ",
                                         "\"",
                                         "//",
                                         "\xff",
                                         "recompute(",
                                         "no_fuse {",
                                         "import \"m\"",
                                         "as i ",
                                         "block ",
                                         "def f(x) = ",
                                         "{A}",
                                         "1.5"};
    size_t at = below(text.size() + 1), length = below(12);
    const std::string &other = texts[below(texts.size())];
    switch (below(5)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, pieces[below(std::size(pieces))]);
      break;
    case 2:
      text.insert(at, other, below(other.size()), below(80));
      break;
    case 3:
      text.replace(at, std::min(length, text.size() - at), pieces[below(std::size(pieces))]);
      break;
    default:
      if (at < text.size())
        text[at] = char(below(256));
    }
  }

  std::mt19937 random;
  const std::vector<std::string> &texts;
};

TEST(Mutations, NeverCrash) {
  std::vector<std::string> texts = corpus();
  ASSERT_FALSE(texts.empty());
  Mutator mutator(20240607, texts);
  for (unsigned i = 0; i < 3000; ++i) {
    std::string text = mutator.next();
    SCOPED_TRACE(text);
    stretto::test::checkFrontendInput(text);
  }
}

TEST(Mutations, HostileTextsEnd) {
  std::string doubling = "def f0(x) = x + x\n";
  for (int i = 1; i < 60; ++i)
    doubling +=
        "def f" + std::to_string(i) + "(x) = f" + std::to_string(i - 1) + "(f" + std::to_string(i - 1) + "(x))\n";
  stretto::test::checkFrontendInput(doubling + "model m(n = f59(1)) { return f59(tokens) }");
  stretto::test::checkFrontendInput(doubling + "model m(vocab: int) { return f59(embed(tokens, vocab, 8)) }");
  stretto::test::checkFrontendInput(
      "model m(vocab: int) { x = embed(tokens, vocab, 8)\n"
      "repeat 4096 as a { repeat 4096 as b { repeat 4096 as c { x = x * (a + b + c) } } } return x }");
  stretto::test::checkFrontendInput("model m(vocab: int) { x = embed(tokens, vocab, 9223372036854775807) return x }");
  stretto::test::checkFrontendInput(std::string(5 << 20, 'a'));
  stretto::test::checkFrontendInput(std::string(100000, '{'));
  std::string calls = "def g0(x) = x\n";
  for (int i = 1; i < 3000; ++i)
    calls += "def g" + std::to_string(i) + "(x) = g" + std::to_string(i - 1) + "(x)\n";
  stretto::test::checkFrontendInput(calls + "model m(n = g2999(1)) { return tokens }");
}

} // namespace
