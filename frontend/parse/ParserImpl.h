// The recursive-descent parser; its methods are in Parser.cpp (tokens, declarations), ParseStatement.cpp and
// ParseExpression.cpp.
#pragma once

#include "frontend/lex/Lexer.h"
#include "frontend/parse/Parser.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/SaveAndRestore.h"

namespace stretto::frontend {

class Parser {
public:
  Parser(const SourceFiles &sources, llvm::ArrayRef<Token> lexed, Diagnostics &diagnostics);

  SourceTree parseFile();
  ExprPtr parseWholeExpression();

private:
  // tokens
  const Token &peek(size_t ahead = 0) const { return tokens[std::min(at + ahead, tokens.size() - 1)]; }
  const Token &previous() const { return tokens[at ? at - 1 : 0]; }
  bool isAt(TokenKind kind) const { return peek().is(kind); }
  Token take();
  bool takeIf(TokenKind kind);
  /// Takes a token of this kind or reports "expected ... `where`".
  bool expect(TokenKind kind, const llvm::Twine &where, const llvm::Twine &advice = "");
  const Token *commentHiding(TokenKind kind) const;
  ExprPtr withComment(ExprPtr dividend) const;
  ExprPtr expressionIn(const Token &comment) const;
  bool expectName(Identifier &name, const llvm::Twine &what);
  /// Whether what stands here was reported already, so that nothing need be said of it.
  bool isReported() const { return gaveUp || isAt(TokenKind::Error); }
  void unexpected(const llvm::Twine &expected, llvm::ArrayRef<llvm::StringRef> candidates = {},
                  const llvm::Twine &advice = "");

  // recovery
  void skipToDeclaration();
  void skipToStatement();
  bool startsStatement() const;
  /// A model begins: nothing before it was closed.
  bool startsModel() const { return isAt(TokenKind::KwModel) && peek(1).is(TokenKind::Name); }

  // declarations
  /// `shared` in front of a declaration, which must be a block then.
  bool startsShared() const {
    return peek().text == "shared" &&
           (peek(1).is(TokenKind::KwBlock) || peek(1).is(TokenKind::KwDef) || peek(1).is(TokenKind::KwModel));
  }
  void parseImport(SourceTree &tree);
  std::unique_ptr<Declaration> parseDeclaration();
  void parseNameless(Declaration &declaration);
  bool parseDeclarationBody(Declaration &declaration);
  bool parseParameters(std::vector<Parameter> &parameters);
  bool parseParameter(Parameter &parameter);
  bool parseType(TypeSyntax &type);
  bool parseTypeMembers(TypeSyntax &type);
  bool parseMembers(std::vector<Identifier> &members, SourceRange &range);

  // statements
  bool parseBody(Body &body, const llvm::Twine &of, llvm::StringRef advice = "");
  StmtPtr parseStatement();
  StmtPtr parseDeclarationStatement();
  StmtPtr parseAssign();
  StmtPtr parseIf();
  StmtPtr parseRepeat();
  StmtPtr parseReturn();
  StmtPtr parseRequire();
  StmtPtr parseNoFuse();
  bool parseExpressions(std::vector<ExprPtr> &values);

  // expressions, by binding strength
  ExprPtr parseExpr();
  ExprPtr parseBinary(unsigned minPrecedence);
  ExprPtr parseUnary();
  ExprPtr parsePrimary();
  ExprPtr parseNumber();
  ExprPtr parseConditional();
  ExprPtr parseSet();
  ExprPtr parseCall(Identifier callee);
  ExprPtr parseParenthesized();
  bool parseArgument(Argument &argument);
  /// Sets the height of a node from its children; reports and returns null if it is too high.
  ExprPtr withHeight(ExprPtr expr, unsigned childHeight);

  /// Until the result dies, what is parsed is one level deeper.
  [[nodiscard]] llvm::SaveAndRestore<unsigned> nested() { return {depth, depth + 1}; }
  /// Reports too many levels and goes to the end.
  bool tooDeep();

  const SourceFiles &sources;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  llvm::DenseMap<uint32_t, Token> comments; // by the end of the token that they stand behind, on its line
  Layout layout;
  size_t at = 0;
  unsigned depth = 0;
  bool gaveUp = false; // at too many levels
};

} // namespace stretto::frontend
