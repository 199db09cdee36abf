// Bodies and statements.
#include "frontend/parse/ParserImpl.h"

using namespace stretto::frontend;

/// Whether elsewhere '=' may stand behind it: `x += y`.
static bool isOperator(TokenKind kind) {
  return kind == TokenKind::Plus || kind == TokenKind::Minus || kind == TokenKind::Star || kind == TokenKind::Slash;
}

bool Parser::parseBody(Body &body, const llvm::Twine &of, llvm::StringRef advice) {
  auto level = nested();
  if (tooDeep())
    return false;
  uint32_t open = peek().range.begin;
  const Token *hiding = commentHiding(TokenKind::LeftBrace);
  const bool mayGoOn = hiding && hiding->text.rtrim().ends_with("{"); // the body itself is no comment
  if (!expect(TokenKind::LeftBrace, "before the body " + of, advice) && !mayGoOn)
    return false;
  layout.blockBraces.insert(open);
  while (!isAt(TokenKind::RightBrace) && !isAt(TokenKind::End) && !startsModel()) {
    if (takeIf(TokenKind::Semicolon))
      continue;
    layout.statements.insert(peek().range.begin);
    if (StmtPtr statement = parseStatement())
      body.push_back(std::move(statement));
    else
      skipToStatement();
  }
  uint32_t close = peek().range.begin;
  if (!expect(TokenKind::RightBrace, "after the body " + of))
    return false;
  layout.blockBraces.insert(close);
  return true;
}

StmtPtr Parser::parseStatement() {
  switch (peek().kind) {
  case TokenKind::KwIf:
    return parseIf();
  case TokenKind::KwRepeat:
    return parseRepeat();
  case TokenKind::KwReturn:
    return parseReturn();
  case TokenKind::KwRequire:
    return parseRequire();
  case TokenKind::KwNoFuse:
    return parseNoFuse();
  case TokenKind::Name:
    return startsShared() ? parseDeclarationStatement() : parseAssign();
  case TokenKind::KwBlock:
  case TokenKind::KwDef:
    return parseDeclarationStatement();
  default:
    break;
  }
  unexpected("a statement");
  if (!isAt(TokenKind::KwImport))
    take();
  return nullptr;
}

StmtPtr Parser::parseDeclarationStatement() {
  auto statement = std::make_unique<DeclarationStmt>(peek().range);
  statement->declaration = parseDeclaration();
  return statement->declaration ? std::move(statement) : nullptr;
}

/// What may be meant by a statement that begins with a name, where `token` stands in place of '='.
static std::string adviseAssign(llvm::StringRef name, const Token &token) {
  if (token.is(TokenKind::Equal))
    return "; '==' compares";
  if (token.is(TokenKind::LeftParen))
    return ("; write y = " + name + "(...)").str();
  if (isOperator(token.kind))
    return ("; write " + name + " = " + name + " " + token.text + " ...").str();
  if (name == "for")
    return "; did you mean 'repeat'?";
  if (name == "let" || name == "var")
    return ("; variables are made by '=' alone, without '" + name + "'").str();
  return didYouMean(name, keywords());
}

StmtPtr Parser::parseAssign() {
  auto statement = std::make_unique<AssignStmt>(peek().range);
  do {
    Identifier target;
    if (!expectName(target, "the name of a variable"))
      return nullptr;
    statement->targets.push_back(target);
  } while (takeIf(TokenKind::Comma));
  if (isReported())
    return nullptr;
  if (!takeIf(TokenKind::Assign)) {
    diagnostics.error(peek().range, "expected '=' after the name '" + statement->targets.back().text +
                                        "' at the start of a statement" +
                                        adviseAssign(statement->targets.front().text, peek()));
    return nullptr;
  }
  if (!parseExpressions(statement->values))
    return nullptr;
  statement->range = statement->range.to(previous().range);
  return statement;
}

bool Parser::parseExpressions(std::vector<ExprPtr> &values) {
  do {
    ExprPtr value = parseExpr();
    if (!value)
      return false;
    values.push_back(std::move(value));
  } while (takeIf(TokenKind::Comma));
  return true;
}

/// What may be meant by a condition with `token` behind it in place of a body.
static llvm::StringRef adviseCondition(const Token &token) {
  if (token.is(TokenKind::Assign))
    return "; '==' compares";
  return token.is(TokenKind::KwElse) ? "; for a value, write if c then a else b" : "";
}

StmtPtr Parser::parseIf() {
  auto level = nested();
  if (tooDeep())
    return nullptr;
  auto statement = std::make_unique<IfStmt>(take().range);
  statement->condition = parseExpr();
  if (!statement->condition || !parseBody(statement->whenTrue, "of 'if'", adviseCondition(peek())))
    return nullptr;
  if (takeIf(TokenKind::KwElse)) {
    if (isAt(TokenKind::KwIf)) {
      StmtPtr inner = parseIf();
      if (!inner)
        return nullptr;
      statement->whenFalse.push_back(std::move(inner));
    } else if (!parseBody(statement->whenFalse, "of 'else'")) {
      return nullptr;
    }
  }
  statement->range = statement->range.to(previous().range);
  return statement;
}

StmtPtr Parser::parseRepeat() {
  auto statement = std::make_unique<RepeatStmt>(take().range);
  statement->count = parseExpr();
  if (!statement->count)
    return nullptr;
  if (takeIf(TokenKind::KwAs) && !expectName(statement->index, "the name of the layer number after 'as'"))
    return nullptr;
  if (takeIf(TokenKind::KwNamed) && !expectName(statement->scope, "a name for the weights after 'named'"))
    return nullptr;
  if (!parseBody(statement->body, "of 'repeat'"))
    return nullptr;
  statement->range = statement->range.to(previous().range);
  return statement;
}

StmtPtr Parser::parseReturn() {
  auto statement = std::make_unique<ReturnStmt>(take().range);
  if (!parseExpressions(statement->values))
    return nullptr;
  statement->range = statement->range.to(previous().range);
  return statement;
}

StmtPtr Parser::parseRequire() {
  auto statement = std::make_unique<RequireStmt>(take().range);
  statement->condition = parseExpr();
  if (!statement->condition)
    return nullptr;
  statement->range = statement->range.to(previous().range);
  return statement;
}

StmtPtr Parser::parseNoFuse() {
  auto statement = std::make_unique<NoFuseStmt>(take().range);
  if (!parseBody(statement->body, "of 'no_fuse'"))
    return nullptr;
  statement->range = statement->range.to(previous().range);
  return statement;
}
