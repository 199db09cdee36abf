// Canonical layout.
#include "frontend/format/Format.h"

#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

using K = TokenKind;

class Formatter {
public:
  Formatter(const Layout &layout, const std::vector<Token> &tokens) : layout(layout), tokens(tokens) {}

  std::string run() {
    for (size_t i = 0; i < tokens.size() && !tokens[i].is(K::End); ++i) {
      if (tokens[i].is(K::Semicolon))
        continue;
      if (isClosing(tokens[i]))
        --depth;
      if (endsList(tokens[i]))
        --lists;
      separate(i);
      text += tokens[i].text.rtrim();
      if (isBlockBrace(tokens[i]) && tokens[i].is(K::LeftBrace))
        ++depth;
      if (beginsList(tokens[i]))
        ++lists;
      previous = &tokens[i];
    }
    if (!text.empty())
      text += '\n';
    return std::move(text);
  }

private:
  bool isBlockBrace(const Token &token) const { return layout.blockBraces.contains(token.range.begin); }
  bool isClosing(const Token &token) const { return token.is(K::RightBrace) && isBlockBrace(token); }
  bool beginsList(const Token &token) const {
    return token.is(K::LeftParen) || (token.is(K::LeftBrace) && !isBlockBrace(token));
  }
  bool endsList(const Token &token) const {
    return token.is(K::RightParen) || (token.is(K::RightBrace) && !isBlockBrace(token));
  }
  bool startsStatement(const Token &token) const { return layout.statements.contains(token.range.begin); }
  bool isPrefix(const Token &token) const { return layout.prefixes.contains(token.range.begin); }

  /// Writes the line break or spaces before token i.
  void separate(size_t i) {
    const Token &token = tokens[i];
    if (!previous)
      return;
    unsigned newlines = token.newlinesBefore;
    // A dropped ';' leaves its line break behind.
    for (size_t j = i; j > 0 && tokens[j - 1].is(K::Semicolon); --j)
      newlines = std::max<unsigned>(newlines, tokens[j - 1].newlinesBefore);
    if (newlines == 0) {
      text += spaces(token);
      return;
    }
    bool isFirst = previous->is(K::LeftBrace) && isBlockBrace(*previous);
    text.append(newlines > 1 && !isFirst && !isClosing(token) ? 2 : 1, '\n');
    text.append(2 * depth + (isContinued(i) ? 4 : 0), ' ');
  }

  /// Whether a line that begins with token i is inside of a statement. A comment is where what stands below it is.
  bool isContinued(size_t i) {
    if (lists > 0)
      return true;
    below = std::max(below, i);
    while (tokens[below].is(K::Comment) || tokens[below].is(K::Semicolon))
      ++below;
    const Token &token = tokens[below];
    return !(startsStatement(token) || isBlockBrace(token) || isElseOfBody(below) || endsList(token) ||
             token.is(K::End));
  }

  /// Whether token i is the `else` of a statement, and not that of an expression.
  bool isElseOfBody(size_t i) const {
    if (!tokens[i].is(K::KwElse))
      return false;
    do
      --i;
    while (tokens[i].is(K::Comment));
    return isClosing(tokens[i]);
  }

  llvm::StringRef spaces(const Token &token) const {
    if (token.is(K::Comment))
      return "  ";
    bool opensBlock = previous->is(K::LeftBrace) && isBlockBrace(*previous);
    if (startsStatement(token) && !opensBlock)
      return "  ";
    if (isBlockBrace(token) || isBlockBrace(*previous))
      return previous->is(K::LeftBrace) && isClosing(token) ? "" : " ";
    return needsSpace(token) ? " " : "";
  }

  bool needsSpace(const Token &token) const {
    if (token.is(K::Comma) || token.is(K::Colon) || token.is(K::RightParen) || token.is(K::RightBrace))
      return false;
    if (previous->is(K::LeftParen) || previous->is(K::LeftBrace) || isPrefix(*previous))
      return false;
    // A call or the parameters of a declaration.
    if (token.is(K::LeftParen) && previous->is(K::Name))
      return false;
    return true;
  }

  const Layout &layout;
  const std::vector<Token> &tokens;
  const Token *previous = nullptr;
  std::string text;
  unsigned depth = 0, lists = 0; // that are open
  size_t below = 0;              // the token that is no comment and stands where the line begins, or after it
};

} // namespace

std::optional<std::string> frontend::formatFile(const SourceFiles &sources, uint32_t file, Diagnostics &diagnostics) {
  SourceTree tree = parseFile(sources, file, diagnostics);
  if (diagnostics.hasErrors())
    return std::nullopt;
  return Formatter(tree.layout, lex(sources, file, diagnostics)).run();
}
