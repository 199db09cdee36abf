// Text -> tokens.
#include "frontend/lex/Lexer.h"

#include "frontend/diagnostics/Characters.h"

#include "llvm/ADT/StringExtras.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

struct Keyword {
  llvm::StringRef text;
  TokenKind kind;
};

constexpr Keyword keywordTable[] = {
    {"and", TokenKind::KwAnd},         {"as", TokenKind::KwAs},         {"block", TokenKind::KwBlock},
    {"def", TokenKind::KwDef},         {"else", TokenKind::KwElse},     {"false", TokenKind::KwFalse},
    {"if", TokenKind::KwIf},           {"import", TokenKind::KwImport}, {"in", TokenKind::KwIn},
    {"model", TokenKind::KwModel},     {"named", TokenKind::KwNamed},   {"no_fuse", TokenKind::KwNoFuse},
    {"not", TokenKind::KwNot},         {"or", TokenKind::KwOr},         {"repeat", TokenKind::KwRepeat},
    {"require", TokenKind::KwRequire}, {"return", TokenKind::KwReturn}, {"then", TokenKind::KwThen},
    {"true", TokenKind::KwTrue},
};

/// Tokens of one character that begins no other token.
constexpr std::pair<char, TokenKind> singleCharacters[] = {
    {'(', TokenKind::LeftParen},  {')', TokenKind::RightParen}, {'{', TokenKind::LeftBrace},
    {'}', TokenKind::RightBrace}, {',', TokenKind::Comma},      {':', TokenKind::Colon},
    {';', TokenKind::Semicolon},  {'+', TokenKind::Plus},       {'-', TokenKind::Minus},
    {'%', TokenKind::Percent},
};

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_'; }
bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_'; }

class Lexer {
public:
  Lexer(const SourceFiles &sources, SourceRange part, Diagnostics &diagnostics)
      : text(sources.text(part.file).take_front(part.end)), file(part.file), diagnostics(diagnostics), at(part.begin) {}

  std::vector<Token> run() {
    while (true) {
      uint8_t newlines = skipSpace();
      Token token = next();
      token.newlinesBefore = newlines;
      tokens.push_back(token);
      if (token.is(TokenKind::End))
        return std::move(tokens);
    }
  }

private:
  uint8_t skipSpace() {
    uint8_t newlines = 0;
    for (; at < text.size(); ++at) {
      char c = text[at];
      if (SourceFiles::endsLine(text, at))
        newlines = std::min(newlines + 1, 2);
      else if (c != ' ' && c != '\t' && c != '\r')
        break;
    }
    return newlines;
  }

  Token make(TokenKind kind, size_t begin) const {
    return {kind, {file, uint32_t(begin), uint32_t(at)}, text.slice(begin, at), 0};
  }

  Token next() {
    size_t begin = at;
    if (at == text.size())
      return make(TokenKind::End, begin);
    char c = text[at];
    if (isNameStart(c))
      return name();
    if (llvm::isDigit(c) || (c == '.' && at + 1 < text.size() && llvm::isDigit(text[at + 1])))
      return number();
    if (c == '"')
      return string();
    if (text.substr(at).starts_with("//"))
      return comment();
    return punctuation();
  }

  Token comment() {
    size_t begin = at, end = std::min(text.find_first_of("\r\n", at), text.size());
    while (at < end) {
      Character character = firstCharacter(text.slice(at, end));
      if (!character.isValid) {
        size_t place = at;
        at = end;
        return error(place, "unexpected " + describe(character));
      }
      at += character.bytes.size();
    }
    return make(TokenKind::Comment, begin);
  }

  Token name() {
    size_t begin = at;
    while (at < text.size() && isNamePart(text[at]))
      ++at;
    return make(keywordKind(text.slice(begin, at)), begin);
  }

  void digits() {
    while (at < text.size() && llvm::isDigit(text[at]))
      ++at;
  }

  Token number() {
    size_t begin = at;
    bool isFloat = false;
    digits();
    if (at < text.size() && text[at] == '.') {
      isFloat = true;
      ++at;
      digits();
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
      isFloat = true;
      ++at;
      if (at < text.size() && (text[at] == '+' || text[at] == '-'))
        ++at;
      if (at == text.size() || !llvm::isDigit(text[at]))
        return error(begin, "expected digits in the exponent of a number");
      digits();
    }
    if (at < text.size() && isNamePart(text[at])) {
      while (at < text.size() && isNamePart(text[at]))
        ++at;
      return error(begin, "expected a number, but got '" + text.slice(begin, at).take_front(40) + "'");
    }
    return checkedNumber(isFloat, begin);
  }

  Token checkedNumber(bool isFloat, size_t begin) {
    llvm::StringRef spelling = text.slice(begin, at);
    int64_t integer;
    double value;
    if (!isFloat && spelling.getAsInteger(10, integer))
      return error(begin, "an int is at most 9223372036854775807, but got " + spelling.take_front(40));
    if (isFloat && (spelling.size() > 64 || spelling.getAsDouble(value) || value > 1e300))
      return error(begin, "a float is at most 1e300, but got " + spelling.take_front(40));
    return make(isFloat ? TokenKind::Float : TokenKind::Integer, begin);
  }

  Token string() {
    size_t begin = at++;
    at = std::min(text.find_first_of("\"\r\n", at), text.size());
    if (at == text.size() || text[at] != '"')
      return error(begin, "expected '\"' at the end of a string");
    ++at;
    return make(TokenKind::String, begin);
  }

  Token punctuation() {
    size_t begin = at;
    char c = text[at++];
    auto twoWay = [&](TokenKind with, TokenKind without) {
      bool isWith = at < text.size() && text[at] == '=';
      at += isWith;
      return make(isWith ? with : without, begin);
    };
    switch (c) {
    case '*':
      if (at < text.size() && text[at] == '*')
        return noPower(begin, ++at);
      return make(TokenKind::Star, begin);
    case '/':
      return text.substr(at).starts_with("*") ? noBlockComment(begin) : make(TokenKind::Slash, begin);
    case '=':
      return twoWay(TokenKind::Equal, TokenKind::Assign);
    case '<':
      return twoWay(TokenKind::LessEqual, TokenKind::Less);
    case '>':
      return twoWay(TokenKind::GreaterEqual, TokenKind::Greater);
    case '!':
      if (at < text.size() && text[at] == '=')
        return twoWay(TokenKind::NotEqual, TokenKind::NotEqual);
      return error(begin, "'!' is not an operator; write 'not'");
    }
    const auto *single = llvm::find_if(singleCharacters, [&](auto &each) { return each.first == c; });
    return single == std::end(singleCharacters) ? badCharacter(begin) : make(single->second, begin);
  }

  Token noBlockComment(size_t begin) {
    size_t last = text.find("*/", ++at);
    Token token = error(begin, "'/*' does not begin a comment; write '//' before each line");
    at = last == text.npos ? text.size() : last + 2;
    return token;
  }

  /// What stands between two of them is one error.
  Token noQuote(size_t begin) {
    if (size_t end = text.find_first_of("'\r\n", at); end < text.size() && text[end] == '\'')
      at = end + 1;
    return error(begin, "unexpected character '''; a symbol stands without quotes, a path in \"...\"");
  }

  /// Skips what stands in the bracket before, if it is closed before one of `ends`.
  void skipBracket(llvm::StringRef ends) {
    if (at < unclosed)
      return;
    size_t end = at;
    for (unsigned open = 1; end < text.size() && !ends.contains(text[end]); ++end) {
      open += text[end] == '[';
      open -= text[end] == ']';
      if (open == 0) {
        at = end + 1;
        return;
      }
    }
    unclosed = end;
  }

  /// What stands between two of them is one error. Behind a value they are an index, which is on one line.
  Token noBracket(size_t begin) {
    bool isIndex = !tokens.empty() && (tokens.back().is(TokenKind::Name) || tokens.back().is(TokenKind::RightParen));
    if (text[begin] == '[')
      skipBracket(isIndex ? "\r\n" : "{}");
    return error(begin, isIndex ? "a tensor has no elements by number; columns are taken by slice(x, offset, width) or "
                                  "split(x, parts)"
                                : "there are no lists; concat puts several tensors side by side");
  }

  /// A run of bytes that begin no token is one error.
  Token badCharacter(size_t begin) {
    while (at < text.size() && (static_cast<unsigned char>(text[at]) >= 128))
      ++at;
    char c = text[begin];
    if (c == '#') {
      at = std::min(text.find_first_of("\r\n", at), text.size());
      return error(begin, "'#' does not begin a comment; write '//'");
    }
    if (c == '^')
      return noPower(begin, at);
    if (c == '[' || c == ']')
      return noBracket(begin);
    if (c == '\'')
      return noQuote(begin);
    if (c == '@')
      return error(begin, "'@' is not an operator; activations are multiplied by a weight with linear(x, width)");
    return error(begin, "unexpected " + describe(firstCharacter(text.substr(begin))));
  }

  Token noPower(size_t begin, size_t end) {
    return error(begin, "'" + text.slice(begin, end) +
                            "' is not an operator; write square(x), or exp(p * log(x)) for positive x");
  }

  Token error(size_t begin, const llvm::Twine &message) {
    Token token = make(TokenKind::Error, begin);
    diagnostics.error(token.range, message);
    return token;
  }

  llvm::StringRef text;
  uint32_t file;
  Diagnostics &diagnostics;
  size_t at;
  size_t unclosed = 0; // brackets before it were searched for those that close them
  std::vector<Token> tokens;
};

/// False, after one error, where no token makes sense.
bool isSource(llvm::StringRef text, uint32_t file, Diagnostics &diagnostics) {
  auto refuse = [&](size_t place, const llvm::Twine &message) {
    diagnostics.error({file, uint32_t(place), uint32_t(place)}, message);
    return false;
  };
  if (text.size() > SourceFiles::maxBytes)
    return refuse(0, "a source file has at most " + llvm::Twine(SourceFiles::maxBytes) + " bytes, but got " +
                         llvm::Twine(text.size()));
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    return refuse(0, "a source file must be text in UTF-8, but got UTF-16; save it as UTF-8");
  if (size_t zero = text.find('\0'); zero != llvm::StringRef::npos)
    return refuse(zero, "a source file must be text in UTF-8, but got a byte 0");
  return true;
}

} // namespace

std::vector<Token> frontend::lex(const SourceFiles &sources, uint32_t file, Diagnostics &diagnostics) {
  llvm::StringRef text = sources.text(file);
  const uint32_t end = isSource(text, file, diagnostics) ? text.size() : 0;
  return lex(sources, SourceRange{file, 0, end}, diagnostics);
}

std::vector<Token> frontend::lex(const SourceFiles &sources, SourceRange part, Diagnostics &diagnostics) {
  return Lexer(sources, part, diagnostics).run();
}

TokenKind frontend::keywordKind(llvm::StringRef text) {
  for (const Keyword &keyword : keywordTable)
    if (keyword.text == text)
      return keyword.kind;
  return TokenKind::Name;
}

llvm::ArrayRef<llvm::StringRef> frontend::keywords() {
  static const std::vector<llvm::StringRef> list = [] {
    std::vector<llvm::StringRef> names;
    for (const Keyword &keyword : keywordTable)
      names.push_back(keyword.text);
    return names;
  }();
  return list;
}

/// Of a kind of token that is always written in one way.
static llvm::StringRef spelling(TokenKind kind) {
  static constexpr llvm::StringRef punctuation[] = {"(", ")", "{", "}",  ",",  ":", ";",  "=", "+", "-",
                                                    "*", "/", "%", "==", "!=", "<", "<=", ">", ">="};
  if (kind < TokenKind::KwAnd)
    return punctuation[unsigned(kind) - unsigned(TokenKind::LeftParen)];
  return llvm::find_if(keywordTable, [&](const Keyword &keyword) { return keyword.kind == kind; })->text;
}

std::string frontend::describe(TokenKind kind) {
  switch (kind) {
  case TokenKind::End:
    return "the end of the file";
  case TokenKind::Error:
    return "an invalid token";
  case TokenKind::Name:
    return "a name";
  case TokenKind::Integer:
    return "an int";
  case TokenKind::Float:
    return "a float";
  case TokenKind::String:
    return "a string";
  case TokenKind::Comment:
    return "a comment";
  default:
    return ("'" + spelling(kind) + "'").str();
  }
}
