// Tokens of the Stretto language.
#pragma once

#include "frontend/diagnostics/Source.h"

#include "llvm/ADT/ArrayRef.h"

namespace stretto::frontend {

enum class TokenKind : uint8_t {
  End,
  Error, // reported by the lexer; the parser skips it
  Name,
  Integer,
  Float,
  String,  // text includes the quotes
  Comment, // "// ..." without its line end
  // punctuation
  LeftParen,
  RightParen,
  LeftBrace,
  RightBrace,
  Comma,
  Colon,
  Semicolon,
  Assign,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // keywords
  KwAnd,
  KwAs,
  KwBlock,
  KwDef,
  KwElse,
  KwFalse,
  KwIf,
  KwImport,
  KwIn,
  KwModel,
  KwNamed,
  KwNoFuse,
  KwNot,
  KwOr,
  KwRepeat,
  KwRequire,
  KwReturn,
  KwThen,
  KwTrue,
};

struct Token {
  TokenKind kind = TokenKind::End;
  SourceRange range;
  llvm::StringRef text;
  /// Line ends between the previous token and this one, at most 2.
  uint8_t newlinesBefore = 0;

  bool is(TokenKind other) const { return kind == other; }
};

/// How a token of this kind is called in messages, e.g. "'{'" or "a name".
std::string describe(TokenKind kind);

/// The kind of a keyword, or Name.
TokenKind keywordKind(llvm::StringRef text);

/// All keywords, for "did you mean".
llvm::ArrayRef<llvm::StringRef> keywords();

} // namespace stretto::frontend
