// Errors of whole programs: of several files, of overrides, through calls, and how many there are.
#include "TestSupport.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::frontend;
using stretto::test::Frontend;
using stretto::test::inModel;

namespace {

TEST(Numbers, OfF64MayBeLargerThanThoseOfF32) {
  Frontend frontend;
  frontend.options.largest = std::numeric_limits<double>::max();
  frontend.run("model m(vocab: int) { return linear(1e300 * embed(tokens, vocab, 8), vocab) }");
  EXPECT_EQ(frontend.errors(), "");
}

std::string overrideErrors(std::string name, std::string value) {
  Frontend frontend;
  frontend.set(std::move(name), std::move(value))
      .run("model m(vocab: int, dim = 16, f = 1.0, on = {A, B}, k: {u, v} = u) {\n"
           "  require dim % 4 == 0 and (f > 0 or A in on or k == u)\n  return linear(embed(tokens, vocab, dim), "
           "vocab)\n}");
  return frontend.errors();
}

TEST(Overrides, AreCheckedLikeTheSource) {
  auto expect = [](const char *name, const char *value, const char *message) {
    std::string errors = overrideErrors(name, value);
    EXPECT_NE(errors.find(message), std::string::npos) << errors;
  };
  expect("dmi", "3", "error: --set dmi: the model 'm' has no parameter 'dmi'; did you mean 'dim'?");
  expect("dim", "0.5", "--set dim: error: 'dim' is an int, but got a float (0.5)");
  expect("dim", "18", "--set dim: note: 'dim' is 18");
  expect("dim", "", "--set dim: error: expected an expression, but got the end of the file");
  expect("dim", "8 8", "expected the end of the value, but got '8'");
  expect("on", "A,C", "'on' takes A, B, but got 'C'");
  expect("on", "{C}", "'on' takes A, B, but got 'C'");
  expect("k", "w", "'k' takes u, v, but got 'w'");
  expect("f", "true", "'f' is a float, but got a bool (true)");
  expect("vocab", "4", "the table must have a row for each of the 32 tokens of the task, but got [vocab=4, dim=16]");
}

TEST(Overrides, GoodValuesAreTaken) {
  EXPECT_EQ(overrideErrors("dim", "4 * 8"), "");
  EXPECT_EQ(overrideErrors("f", "2"), "");
  EXPECT_EQ(overrideErrors("on", "A,B"), "");
  EXPECT_EQ(overrideErrors("on", ""), "");
  EXPECT_EQ(overrideErrors("on", "{A}"), "");
  EXPECT_EQ(overrideErrors("k", "v"), "");
}

TEST(Notes, LeadThroughCallsAndOverrides) {
  Frontend frontend;
  frontend.set("ffn", "24")
      .run("model m(vocab: int, dim = 16, ffn = 32) {\n  block inner(y) { return y + linear(y, ffn) }\n"
           "  block outer(y) { return inner(y) }\n  x = outer(embed(tokens, vocab, dim))\n"
           "  return linear(x, vocab)\n}");
  std::string errors = frontend.errors();
  for (const char *part :
       {"m.stretto:2:27: error: the operands of 'add'", "[batch=2, length=8, ffn=24]",
        "m.stretto:3:27: note: in this call of 'inner'", "m.stretto:4:7: note: in this call of 'outer'",
        "--set ffn: note: 'ffn' gets its value here", "m.stretto:1:27: note: 'dim' gets its value here"})
    EXPECT_NE(errors.find(part), std::string::npos) << part << "\n" << errors;
}

TEST(Imports, MissingFilesAreErrors) {
  Frontend frontend;
  frontend.run("import \"none.stretto\"\nmodel m { return tokens }");
  EXPECT_NE(frontend.errors().find("m.stretto:1:8: error: cannot read 'none.stretto'"), std::string::npos)
      << frontend.errors();
}

TEST(Imports, AProgramHasOneBlockOfAName) {
  Frontend frontend;
  frontend.addFile("a.stretto", "import \"b.stretto\"\nblock f(x) { return x }")
      .addFile("b.stretto", "block f(x) { return -x }");
  frontend.run("import \"a.stretto\"\nmodel m { return tokens }");
  EXPECT_NE(frontend.errors().find("a.stretto:2:7: error: 'f' is declared twice"), std::string::npos)
      << frontend.errors();
  EXPECT_NE(frontend.errors().find("b.stretto:1:7: note: the other declaration is here"), std::string::npos);
}

TEST(Imports, NamesAreNotPassedOn) {
  Frontend frontend;
  frontend.addFile("a.stretto", "import \"b.stretto\"").addFile("b.stretto", "block f(x) { return -x }");
  frontend.run("import \"a.stretto\"\n" + inModel("x = f(x)"));
  EXPECT_NE(frontend.errors().find("unknown operation, block or def 'f'"), std::string::npos) << frontend.errors();
}

TEST(Imports, CyclesAreErrors) {
  Frontend frontend;
  frontend.addFile("a.stretto", "import \"b.stretto\"").addFile("b.stretto", "import \"a.stretto\"");
  frontend.run("import \"a.stretto\"\nmodel m { return tokens }");
  EXPECT_NE(
      frontend.errors().find("b.stretto:1:8: error: a file may not import itself, but 'a.stretto' is being imported"),
      std::string::npos)
      << frontend.errors();
}

TEST(Errors, ABlockThatIsCalledTwiceReportsOnce) {
  Frontend frontend;
  frontend.run(inModel("block b(y) { return linear(y, dmi) }\nx = b(x)\nx = b(x)"));
  EXPECT_FALSE(frontend.program);
  EXPECT_EQ(llvm::StringRef(frontend.errors()).count("unknown name 'dmi'"), 1u) << frontend.errors();
}

TEST(Errors, WhatCallsAFailedBlockFailsQuietly) {
  Frontend frontend;
  frontend.run(inModel("block b(y) { return linear(y, dmi) }\nblock c(y) { return b(y) }\n"
                       "a, d = b(x), c(x)\nrepeat 2 { x = b(x) }\nrepeat 2 { repeat 2 { x = a + x } }"));
  EXPECT_FALSE(frontend.program);
  EXPECT_EQ(llvm::StringRef(frontend.errors()).count("error:"), 1u) << frontend.errors();
}

TEST(Errors, OneMistakeIsOneError) {
  for (const char *text :
       {"x = x[0]", "x = x + 'a'", "x = x * (dim // 2)", "if dim // 2 > 4 {\nx = x + x\n}",
        "block linear(a) { return a }", "def silu(a) = a * sigmoid(a)",
        "block b(y, heads: int) { require width(y) % heads == 0 k = width(y) / heads return y * k }\n"
        "x = b(x, 5)"}) {
    Frontend frontend;
    frontend.run(inModel(text));
    EXPECT_EQ(frontend.diagnostics.errorCount(), 1u) << frontend.errors();
  }
}

TEST(Errors, AllRequirementsThatFollowEachOtherAreReported) {
  Frontend frontend;
  frontend.run(inModel("require dim == 1\nrequire dim == 2\nx = linear(x, dmi)\nrequire dim == 3"));
  EXPECT_EQ(frontend.diagnostics.errorCount(), 2u) << frontend.errors();
}

TEST(Errors, SeveralInOneRunWithoutFollowUps) {
  Frontend frontend;
  frontend.run(inModel("a = foo(x)\nb = a + 1\nc = relu(b)\nx = linear(x, dmi)\ny = x + 1"));
  EXPECT_EQ(frontend.diagnostics.errorCount(), 2u) << frontend.errors();
}

} // namespace
