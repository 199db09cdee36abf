// Tokens, syntax trees, layout.
#include "frontend/format/Format.h"
#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::frontend;

namespace {

struct Text {
  SourceFiles sources;
  Diagnostics diagnostics{sources};
  uint32_t file;

  explicit Text(llvm::StringRef text) : file(sources.add("f", text)) {}

  std::string errors() {
    std::string text;
    llvm::raw_string_ostream os(text);
    diagnostics.print(os);
    return text;
  }
  std::string tree() {
    std::string text;
    llvm::raw_string_ostream os(text);
    dumpTree(parseFile(sources, file, diagnostics), os);
    return text;
  }
};

std::string format(llvm::StringRef text) {
  Text input(text);
  return formatFile(input.sources, input.file, input.diagnostics).value_or("errors: " + input.errors());
}

TEST(Lexer, TokensCarryRangesAndLineBreaks) {
  Text text("a = 1.5e-3\n\n\n// note\nb<=2");
  std::vector<Token> tokens = lex(text.sources, text.file, text.diagnostics);
  ASSERT_EQ(tokens.size(), 8u);
  EXPECT_TRUE(tokens[2].is(TokenKind::Float));
  EXPECT_EQ(tokens[2].text, "1.5e-3");
  EXPECT_TRUE(tokens[3].is(TokenKind::Comment));
  EXPECT_EQ(tokens[3].newlinesBefore, 2);
  EXPECT_TRUE(tokens[5].is(TokenKind::LessEqual));
  EXPECT_EQ(tokens[6].range.begin, 24u);
  EXPECT_TRUE(tokens[7].is(TokenKind::End));
  EXPECT_FALSE(text.diagnostics.hasErrors());
}

TEST(Lexer, KeywordsAreNotNames) {
  EXPECT_EQ(keywordKind("repeat"), TokenKind::KwRepeat);
  EXPECT_EQ(keywordKind("repeats"), TokenKind::Name);
}

struct BadToken {
  const char *text, *message;
};

class BadTokens : public testing::TestWithParam<BadToken> {};

TEST_P(BadTokens, AreReported) {
  Text text(GetParam().text);
  lex(text.sources, text.file, text.diagnostics);
  EXPECT_NE(text.errors().find(GetParam().message), std::string::npos) << text.errors();
}

INSTANTIATE_TEST_SUITE_P(
    Lexer, BadTokens,
    testing::Values(
        BadToken{"a = $", "f:1:5: error: unexpected character '$'"},
        BadToken{"a = 1 # it's one", "f:1:7: error: '#' does not begin a comment; write '//'"},
        BadToken{"a = \xc3\xa9\xc3\xa8", "f:1:5: error: unexpected character '\xc3\xa9' (U+00E9)\n"},
        BadToken{"a = \xc2\x9b", "f:1:5: error: unexpected character U+009B\n    a = ?\n        ^\n"},
        BadToken{"a = \xe2\x80\xae", "f:1:5: error: unexpected character U+202E\n    a = ?\n"},
        BadToken{"a = \xe9", "f:1:5: error: unexpected byte 0xE9, which is no UTF-8\n    a = ?\n"},
        BadToken{"// \xc3\xa9 caf\xe9 a\nb = 1", "f:1:10: error: unexpected byte 0xE9, which is no UTF-8\n"},
        BadToken{"a /* b\n c */ = 1", "f:1:3: error: '/*' does not begin a comment; write '//' before each line\n"},
        BadToken{"a = 'b'",
                 "f:1:5: error: unexpected character '''; a symbol stands without quotes, a path in \"...\"\n"},
        BadToken{"a = b @ c", "f:1:7: error: '@' is not an operator; activations are multiplied by a "
                              "weight with linear(x, width)"},
        BadToken{"a = 99999999999999999999", "an int is at most 9223372036854775807, but got 99999999999999999999"},
        BadToken{"a = 1e999", "a float is at most 1e300, but got 1e999"},
        BadToken{"a = 1e+", "expected digits in the exponent of a number"},
        BadToken{"a = 12ab", "expected a number, but got '12ab'"},
        BadToken{"import \"x", "expected '\"' at the end of a string"},
        BadToken{"!a", "'!' is not an operator; write 'not'"}));

std::string repeated(llvm::StringRef text, unsigned count) {
  std::string all;
  for (unsigned i = 0; i < count; ++i)
    all += text;
  return all;
}

TEST(Diagnostics, ShowWhatStandsAroundTheMarkOfALongLine) {
  struct Mark {
    std::string line;
    uint32_t from, to;
    std::string shown, marks;
  };
  const std::string half(80, 'a'), whole(160, 'a');
  for (const Mark &mark :
       {Mark{whole, 160, 160, whole, std::string(160, ' ') + "^"},
        {whole + "b", 5, 7, whole + "...", "     ^~"},
        {half + whole + half, 160, 400, "..." + whole + "...", std::string(83, ' ') + "^" + std::string(79, '~')},
        {half + half + half, 240, 241, "..." + whole, std::string(163, ' ') + "^"},
        {half + "\x01\t" + half, 81, 82, "..." + half.substr(1) + "?\t" + half.substr(1) + "...",
         std::string(83, ' ') + "^"},
        {repeated("\u5B57", 200), 300, 303, "..." + repeated("\u5B57", 53) + "...", std::string(55, ' ') + "^~"}}) {
    Text text(mark.line);
    text.diagnostics.error({text.file, mark.from, mark.to}, "here");
    EXPECT_EQ(text.errors(), "f:1:" + std::to_string(mark.from + 1) + ": error: here\n    " + mark.shown + "\n    " +
                                 mark.marks + "\n");
  }
}

TEST(Lexer, WhatIsNoTextIsOneError) {
  for (auto [bytes, message] :
       {std::pair(std::string("\xFF\xFEm\0o\0", 6),
                  "f:1:1: error: a source file must be text in UTF-8, but got UTF-16; save it as UTF-8\n"),
        {std::string("\xFE\xFF\0m\0o", 6), "f:1:1: error: a source file must be text in UTF-8, but got UTF-16"},
        {std::string("// \0\n$", 6), "f:1:4: error: a source file must be text in UTF-8, but got a byte 0\n"}}) {
    Text text(bytes);
    text.tree();
    EXPECT_EQ(text.diagnostics.errorCount(), 1u);
    EXPECT_TRUE(llvm::StringRef(text.errors()).starts_with(message)) << text.errors();
  }
}

TEST(Diagnostics, MarkTheCharactersOfALineAsTerminalsShowThem) {
  Text text("\xc3\xa4\t\xe4\xb8\xad\x1b\xff /\xe4\xb8\xad/ x");
  text.diagnostics.error({text.file, 9, 14}, "here \x1b[31m");
  text.diagnostics.error({text.file, 16, 16}, "at the end");
  EXPECT_EQ(text.errors(),
            "f:1:10: error: here ?[31m\n    \xc3\xa4\t\xe4\xb8\xad?? /\xe4\xb8\xad/ x\n     \t     ^~~~\n"
            "f:1:17: error: at the end\n    \xc3\xa4\t\xe4\xb8\xad?? /\xe4\xb8\xad/ x\n     \t           ^\n");
}

TEST(Parser, OperatorsBindAsInMathematics) {
  Text text("def f(x) = 1 + 2 * x - -x / 3 < 4 and not x in {A} or true");
  EXPECT_EQ(text.tree(), R"(def f
  parameter x
  or
    and
      <
        -
          +
            1
            *
              2
              x
          /
            -
              x
            3
        4
      not
        in
          x
          {A}
    true
)");
}

TEST(Parser, StatementsNeedNoSeparator) {
  Text text(
      "model m { repeat 2 as i named parts { x = f(x)  x, y = g(x, k = 1) } if a { return x } else { require b } }");
  EXPECT_EQ(text.tree(), R"(model m
  repeat as i named parts
    2
    assign x
      call f
        x
    assign x, y
      call g
        x
        k =
          1
  if
    a
    return
      x
  else
    require
      b
)");
}

TEST(Parser, SharedIsAWordOnlyInFrontOfABlock) {
  Text text("shared block f(shared) { return shared } model m { shared = 1 shared block g(x) { return x } }");
  EXPECT_EQ(text.tree(), R"(shared block f
  parameter shared
  return
    shared
model m
  assign shared
    1
  shared block g
    parameter x
    return
      x
)");
}

TEST(Parser, ReportsSeveralErrorsInOneRun) {
  Text text("block a(x) {\n  y = x + )\n  z = (x\n  return y\n}\nblock (x) { }\ndef g(x) x\n");
  text.tree();
  EXPECT_EQ(text.diagnostics.errorCount(), 4u) << text.errors();
}

TEST(Parser, ReportsOneMistakeOnce) {
  for (std::string statement : {"x = 3abc * x", "y = 1e999", "x = f(a $ b)", "x # = 3", "model = x", "$",
                                "x = f(1e999, ", "repeat 3abc { x = f(x) }", "x = [a, b]", "x = [\n a,\n b\n]",
                                "x = f(a)[0]", "if 1e999 { x = y } else { x = z }"}) {
    Text text("model m {\n  a = b\n  " + statement + "\n  z = a\n  return z\n}\n");
    text.tree();
    EXPECT_EQ(text.diagnostics.errorCount(), 1u) << statement << "\n" << text.errors();
  }
  for (llvm::StringRef head :
       {"model model(a: int)", "model 3", "model", "block if(a)", "block 3abc(a)", "block (a)"}) {
    Text text((head + " {\n  block f(x) { return x }\n  x = f(a)\n  return x\n}\n").str());
    text.tree();
    EXPECT_EQ(text.diagnostics.errorCount(), 1u) << head.str() << "\n" << text.errors();
  }
  Text deep("model m {\n  x = " + std::string(10000, '(') + "x" + std::string(10000, ')') + "\n  return x\n}\n");
  deep.tree();
  EXPECT_EQ(deep.diagnostics.errorCount(), 1u) << deep.errors();
}

struct BadSyntax {
  const char *text, *message;
};

class BadSyntaxes : public testing::TestWithParam<BadSyntax> {};

TEST_P(BadSyntaxes, AreReported) {
  Text text(GetParam().text);
  text.tree();
  EXPECT_NE(text.errors().find(GetParam().message), std::string::npos) << text.errors();
}

INSTANTIATE_TEST_SUITE_P(
    Parser, BadSyntaxes,
    testing::Values(
        BadSyntax{"modle m { }",
                  "f:1:1: error: expected 'import', 'model', 'block' or 'def', but got 'modle'; did you mean 'model'?"},
        BadSyntax{"import x", "expected the path of a file in quotes after 'import', but got 'x'"},
        BadSyntax{"model 3 { }", "expected a name after 'model', but got '3'"},
        BadSyntax{"block b { }", "expected '(' before the parameters, but got '{'"},
        BadSyntax{"block b(x, y, x) { }", "f:1:15: error: the parameter 'x' is declared twice"},
        BadSyntax{"block b(x: itn) { }", "but got 'itn'; did you mean 'int'?"},
        BadSyntax{"block b(x: {}) { }", "f:1:12: error: a type must list the names that it allows, but got '{}'"},
        BadSyntax{"block b(x: set {}) { }", "a type must list the names that it allows, but got '{}'"},
        BadSyntax{"block b(x", "expected ')' after the parameters, but got the end of the file"},
        BadSyntax{"def f(x) x", "expected '=' before the value of 'def f', but got 'x'"},
        BadSyntax{"model m { x == 3 }", "expected '=' after the name 'x' at the start of a statement; '==' compares"},
        BadSyntax{"model m { min(x, y) }",
                  "1:14: error: expected '=' after the name 'min' at the start of a statement; "
                  "write y = min(...)\n"},
        BadSyntax{"model m { retrun x }", "did you mean 'return'?"},
        BadSyntax{"model m { x = f(a b) }", "expected ')' after the arguments of 'f', but got 'b'"},
        BadSyntax{"model m { x = a < b < c }", "expected 'and' between two comparisons, but got '<'"},
        BadSyntax{"model m { x = if a b else c }", "expected 'then' after the condition, but got 'b'"},
        BadSyntax{"model m { x = if a then b }", "expected 'else' after the value of 'then', but got '}'"},
        BadSyntax{"model m { x = {1} }", "expected a name in a set, but got '1'"},
        BadSyntax{"model m { x = ", "expected an expression, but got the end of the file"},
        BadSyntax{"model m { x = 1", "expected '}' after the body of 'm', but got the end of the file"},
        BadSyntax{"model m { model = 3 }", "f:1:11: error: expected a statement, but got 'model'"},
        BadSyntax{"model m { + }", "expected a statement, but got '+'"}));

TEST(Parser, LimitsNesting) {
  Text parens("def f(x) = " + std::string(100000, '(') + "x");
  parens.tree();
  EXPECT_NE(parens.errors().find("at most 256 levels of nesting are allowed"), std::string::npos);
  std::string sum = "def f(x) = x";
  for (int i = 0; i < 100000; ++i)
    sum += " + x";
  Text chain(sum);
  chain.tree();
  EXPECT_NE(chain.errors().find("an expression has at most 256 levels of operations"), std::string::npos);
  // Operations in the parts of others, in arguments of calls and in choices count as well.
  auto terms = [](std::string text, int count) {
    for (int i = 0; i < count; ++i)
      text += " + x";
    return text;
  };
  auto errorsWith = [&](const std::string &first, int count) {
    Text text("def f(x) = " + terms(first, count));
    text.tree();
    return text.errors();
  };
  const std::string half = terms("x", 150);
  for (const std::string &first : {"(" + half + ")", "-(" + half + ")", "f(x, " + half + ", x)", "f(y = " + half + ")",
                                   "(if " + half + " then x else x)", "(if x then " + half + " else x)",
                                   "(if x then x else " + half + ")", "(x + (" + half + "))"}) {
    EXPECT_EQ(errorsWith(first, 100), "");
    EXPECT_NE(errorsWith(first, 110).find("an expression has at most 256 levels of operations"), std::string::npos)
        << first.substr(0, 12);
  }
  std::string bodies = "model m {";
  for (int i = 0; i < 100000; ++i)
    bodies += " if a {";
  Text nested(bodies);
  nested.tree();
  EXPECT_TRUE(nested.diagnostics.hasErrors());
}

TEST(Diagnostics, CaretCoversTheRangeAlsoAfterTabs) {
  Text text("model m {\n\tx = 12ab\n}");
  text.tree();
  EXPECT_EQ(text.errors().substr(0, text.errors().find("^~~~") + 5),
            "f:2:6: error: expected a number, but got '12ab'\n    \tx = 12ab\n    \t    ^~~~\n");
}

TEST(Diagnostics, LinesEndWithOneByteOrTwo) {
  for (llvm::StringRef end : {"\n", "\r\n", "\r"}) {
    Text text("model m {" + end.str() + end.str() + "x = 12ab # no" + end.str() + "y = $" + end.str() + "}");
    text.tree();
    for (const char *part : {"f:3:5: error: expected a number, but got '12ab'\n    x = 12ab # no\n        ^~~~\n",
                             "f:4:5: error: unexpected character '$'\n    y = $\n        ^\n"})
      EXPECT_NE(text.errors().find(part), std::string::npos) << text.errors();
  }
}

TEST(Diagnostics, NearestNameIsClose) {
  EXPECT_EQ(nearestName("rms_nrom", {"rms_norm", "layer_norm"}), "rms_norm");
  EXPECT_EQ(nearestName("lin", {"min", "linear_attention", "linear"}), "linear");
  EXPECT_EQ(nearestName("foo", {"linear", "canon"}), "");
  EXPECT_EQ(nearestName("x", {"y"}), "");
  EXPECT_EQ(nearestName("nope", {"copy"}), ""); // half of it
  EXPECT_EQ(nearestName("dmi", {"dim"}), "dim");
  EXPECT_EQ(nearestName("selective", {"slice"}), ""); // a deletion counts as a replacement does
  EXPECT_EQ(nearestName("expert_values", {"expert_sum"}), "");
  EXPECT_EQ(nearestName("xyz", {"x"}), "");
  EXPECT_EQ(nearestName("softmax_atention", {"linear_attention", "softmax_attention"}), "softmax_attention");
}

TEST(Format, CanonicalLayout) {
  EXPECT_EQ(
      format(
          "model m(vocab:int,dim=  512){ // top\n// own\nx=embed( tokens,vocab,dim )\n\n\n\nrepeat 2{x=f(x);x=g(x)}\n"
          "  if A in{A,B}{y=-x*(a+b)}\nlonger=first+\nsecond\n}"),
      R"(model m(vocab: int, dim = 512) {  // top
  // own
  x = embed(tokens, vocab, dim)

  repeat 2 { x = f(x)  x = g(x) }
  if A in {A, B} { y = -x * (a + b) }
  longer = first +
      second
}
)");
}

TEST(Format, KeepsSharedBesideItsBlock) {
  EXPECT_EQ(format("shared  block f(x){return x}"), "shared block f(x) { return x }\n");
}

TEST(Format, IsIdempotent) {
  for (llvm::StringRef text : {"def f(a,b)=if a then-b else not b\n", "block b(x:{u,v}=u,){return x}//end",
                               "model m(\nvocab:int,\n// note\ndim=1,\n){\nno_fuse{x=recompute(y)}\n}\n",
                               "shared  block f(x){return x}\nmodel m{\nshared\nblock g(x){return x}\nx=1}\n"}) {
    std::string once = format(text);
    EXPECT_EQ(format(once), once);
    EXPECT_EQ(once.find("errors"), std::string::npos) << once;
  }
}

TEST(Format, CommentsStandWithWhatIsBelow) {
  const std::string text = R"(// of the file
block f(x: {a,  // of a
    // of b
    b}, y
    // of the end
) {
  // of both
  p, q = x,  // of x
      // of y
      y
  // of if
  if x in {A,
      // of B
      B}
  // of the body
  {
    q = g(p,  // of p
        // of the sum
        p +  // of the first
        // of the second
        q
        // of no argument
    )
    // of nothing
  }
  // of else
  else {
    q = if p then 1
        // of the other
        else 2
  }
  return q  // of q
      // of the sum
      + p
}
// of the end
)";
  EXPECT_EQ(format(text), text);
  std::string flat;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text), '\n'))
    flat += (line.ltrim() + "\n").str();
  EXPECT_EQ(format(flat), text);
}

TEST(Format, TakesEachLineEnd) {
  for (llvm::StringRef end : {"\n", "\r\n", "\r"}) {
    std::string text = ("// of one" + end + "def f(a) = a" + end + end + "def g(a) = a // of two" + end).str();
    EXPECT_EQ(format(text), "// of one\ndef f(a) = a\n\ndef g(a) = a  // of two\n");
  }
}

TEST(Format, RefusesSyntaxErrors) { EXPECT_NE(format("model {").find("errors"), std::string::npos); }

} // namespace
