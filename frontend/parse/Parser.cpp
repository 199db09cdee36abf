// Tokens and declarations.
#include "frontend/parse/ParserImpl.h"

#include "llvm/ADT/StringSet.h"

using namespace stretto;
using namespace stretto::frontend;

Parser::Parser(const SourceFiles &sources, llvm::ArrayRef<Token> lexed, Diagnostics &diagnostics)
    : sources(sources), diagnostics(diagnostics) {
  for (const Token &token : lexed)
    if (!token.is(TokenKind::Comment))
      tokens.push_back(token);
    else if (!tokens.empty() && !token.newlinesBefore)
      comments[tokens.back().range.end] = token;
}

// ---------------------------------------------------------------- tokens

Token Parser::take() {
  Token token = peek();
  if (at + 1 < tokens.size())
    ++at;
  return token;
}

bool Parser::takeIf(TokenKind kind) {
  if (!isAt(kind))
    return false;
  take();
  return true;
}

void Parser::unexpected(const llvm::Twine &expected, llvm::ArrayRef<llvm::StringRef> candidates,
                        const llvm::Twine &advice) {
  if (isReported())
    return;
  const Token &token = peek();
  std::string got = token.is(TokenKind::End) ? "the end of the file" : ("'" + token.text.take_front(40) + "'").str();
  diagnostics.error(token.range,
                    "expected " + expected + ", but got " + got + didYouMean(token.text, candidates) + advice);
}

/// The comment behind the previous token, if what is expected here stands in it: '//' was meant to divide. Else null.
const Token *Parser::commentHiding(TokenKind kind) const {
  auto found = comments.find(previous().range.end);
  if (isReported() || found == comments.end())
    return nullptr;
  const llvm::StringRef text = found->second.text;
  const bool endsArgument =
      text.count(')') > text.count('(') || (text.rtrim().ends_with(",") && expressionIn(found->second));
  const bool isHidden = (kind == TokenKind::RightParen && endsArgument) ||
                        (kind == TokenKind::LeftBrace && text.contains('{')) ||
                        (kind == TokenKind::KwThen && text.contains(" then "));
  return isHidden ? &found->second : nullptr;
}

bool Parser::expect(TokenKind kind, const llvm::Twine &where, const llvm::Twine &advice) {
  if (takeIf(kind))
    return true;
  const std::string expected = describe(kind) + (" " + where).str();
  if (const Token *comment = commentHiding(kind))
    diagnostics.error(comment->range, "expected " + expected + ", but got '//', which begins a comment; " +
                                          "floor(a / b) divides ints, rounding down");
  else
    unexpected(expected, {}, advice);
  return false;
}

bool Parser::expectName(Identifier &name, const llvm::Twine &what) {
  if (!isAt(TokenKind::Name)) {
    unexpected(what);
    return false;
  }
  Token token = take();
  name = {token.text, token.range};
  return true;
}

bool Parser::tooDeep() {
  if (depth <= maxNesting)
    return false;
  diagnostics.error(peek().range, "at most " + llvm::Twine(maxNesting) + " levels of nesting are allowed");
  at = tokens.size() - 1;
  gaveUp = true;
  return true;
}

// ---------------------------------------------------------------- recovery

void Parser::skipToDeclaration() {
  while (!isAt(TokenKind::End) && !startsModel() && !isAt(TokenKind::KwImport) &&
         !(peek().newlinesBefore && (startsShared() || isAt(TokenKind::KwBlock) || isAt(TokenKind::KwDef))))
    take();
}

bool Parser::startsStatement() const {
  switch (peek().kind) {
  case TokenKind::KwIf:
  case TokenKind::KwRepeat:
  case TokenKind::KwReturn:
  case TokenKind::KwRequire:
  case TokenKind::KwNoFuse:
  case TokenKind::KwBlock:
  case TokenKind::KwDef:
    return true;
  case TokenKind::Name:
    return peek(1).is(TokenKind::Assign) || peek(1).is(TokenKind::Comma) || startsShared();
  default:
    return false;
  }
}

/// Goes to a token on a new line that starts a statement, or to a brace that closes the body.
void Parser::skipToStatement() {
  unsigned open = 0;
  for (; !isAt(TokenKind::End) && !startsModel(); take()) {
    if (isAt(TokenKind::LeftBrace))
      ++open;
    else if (isAt(TokenKind::RightBrace)) {
      if (!open)
        return;
      --open;
    } else if (!open && peek().newlinesBefore && startsStatement())
      return;
  }
}

// ---------------------------------------------------------------- declarations

SourceTree Parser::parseFile() {
  SourceTree tree;
  tree.file = peek().range.file;
  while (!isAt(TokenKind::End)) {
    layout.statements.insert(peek().range.begin);
    if (isAt(TokenKind::KwImport)) {
      parseImport(tree);
    } else if (isAt(TokenKind::KwModel) || isAt(TokenKind::KwBlock) || isAt(TokenKind::KwDef) || startsShared()) {
      if (auto declaration = parseDeclaration())
        tree.declarations.push_back(std::move(declaration));
      else
        skipToDeclaration();
    } else {
      unexpected("'import', 'model', 'block' or 'def'", {"import", "model", "block", "def"});
      take();
      skipToDeclaration();
    }
  }
  tree.layout = std::move(layout);
  return tree;
}

void Parser::parseImport(SourceTree &tree) {
  Import import;
  import.range = take().range;
  if (!isAt(TokenKind::String)) {
    unexpected("the path of a file in quotes after 'import'");
    return skipToDeclaration();
  }
  Token path = take();
  import.pathRange = path.range;
  import.path = path.text.drop_front().drop_back();
  tree.imports.push_back(import);
}

std::unique_ptr<Declaration> Parser::parseDeclaration() {
  auto declaration = std::make_unique<Declaration>();
  const SourceRange begin = peek().range;
  declaration->isShared = startsShared();
  if (declaration->isShared)
    take();
  if (declaration->isShared && !isAt(TokenKind::KwBlock)) {
    unexpected("'block' after 'shared'");
    return nullptr;
  }
  Token keyword = take();
  declaration->kind = keyword.is(TokenKind::KwModel)   ? Declaration::Kind::Model
                      : keyword.is(TokenKind::KwBlock) ? Declaration::Kind::Block
                                                       : Declaration::Kind::Def;
  if (!expectName(declaration->name, "a name after '" + keyword.text + "'")) {
    parseNameless(*declaration);
    return nullptr;
  }
  declaration->range = begin.to(declaration->name.range);
  if (!parseDeclarationBody(*declaration))
    return nullptr;
  declaration->whole = declaration->range.to(previous().range);
  return declaration;
}

/// What stands behind a missing name, perhaps behind something in its place: it is read for its errors alone.
void Parser::parseNameless(Declaration &declaration) {
  auto isInside = [&] {
    return isAt(TokenKind::LeftParen) || (isAt(TokenKind::LeftBrace) && declaration.kind == Declaration::Kind::Model);
  };
  if (!isInside() && !startsModel())
    take();
  if (isInside())
    parseDeclarationBody(declaration);
}

bool Parser::parseDeclarationBody(Declaration &declaration) {
  bool needsList = declaration.kind != Declaration::Kind::Model;
  if ((needsList || isAt(TokenKind::LeftParen)) && !parseParameters(declaration.parameters))
    return false;
  if (declaration.kind != Declaration::Kind::Def)
    return parseBody(declaration.body, "of '" + declaration.name.text + "'",
                     isAt(TokenKind::Assign) ? "; a formula without weights is a def" : "");
  if (!expect(TokenKind::Assign, "before the value of 'def " + declaration.name.text + "'"))
    return false;
  declaration.value = parseExpr();
  return declaration.value != nullptr;
}

bool Parser::parseParameters(std::vector<Parameter> &parameters) {
  if (!expect(TokenKind::LeftParen, "before the parameters"))
    return false;
  llvm::StringSet<> names;
  while (!isAt(TokenKind::RightParen)) {
    Parameter parameter;
    if (!parseParameter(parameter))
      return false;
    if (!names.insert(parameter.name.text).second)
      diagnostics.error(parameter.name.range, "the parameter '" + parameter.name.text + "' is declared twice");
    parameters.push_back(std::move(parameter));
    if (!takeIf(TokenKind::Comma))
      break;
  }
  return expect(TokenKind::RightParen, "after the parameters");
}

bool Parser::parseParameter(Parameter &parameter) {
  if (!expectName(parameter.name, "the name of a parameter"))
    return false;
  if (takeIf(TokenKind::Colon) && !parseType(parameter.type))
    return false;
  if (takeIf(TokenKind::Assign)) {
    parameter.defaultValue = parseExpr();
    return parameter.defaultValue != nullptr;
  }
  return true;
}

llvm::StringRef frontend::spelling(TypeSyntax::Kind kind) {
  switch (kind) {
  case TypeSyntax::Kind::Any:
    return "any";
  case TypeSyntax::Kind::Int:
    return "int";
  case TypeSyntax::Kind::Float:
    return "float";
  case TypeSyntax::Kind::Bool:
    return "bool";
  case TypeSyntax::Kind::Set:
    return "set";
  case TypeSyntax::Kind::Enum:
    return "enum";
  case TypeSyntax::Kind::Tensor:
    return "tensor";
  }
  llvm_unreachable("a kind of type that is not listed");
}

bool Parser::parseType(TypeSyntax &type) {
  type.range = peek().range;
  if (isAt(TokenKind::LeftBrace)) {
    type.kind = TypeSyntax::Kind::Enum;
    return parseTypeMembers(type);
  }
  using Kind = TypeSyntax::Kind;
  for (Kind kind : {Kind::Int, Kind::Float, Kind::Bool, Kind::Set, Kind::Tensor})
    if (peek().text == spelling(kind))
      type.kind = kind;
  if (type.kind == Kind::Any) {
    unexpected("a type (int, float, bool, tensor, set {A, B} or {a, b})", {"int", "float", "bool", "tensor", "set"});
    return false;
  }
  take();
  return type.kind != Kind::Set || !isAt(TokenKind::LeftBrace) || parseTypeMembers(type);
}

bool Parser::parseTypeMembers(TypeSyntax &type) {
  if (!parseMembers(type.members, type.range))
    return false;
  if (!type.members.empty())
    return true;
  diagnostics.error(type.range, "a type must list the names that it allows, but got '{}'");
  return false;
}

bool Parser::parseMembers(std::vector<Identifier> &members, SourceRange &range) {
  SourceRange begin = take().range;
  while (!isAt(TokenKind::RightBrace)) {
    Identifier member;
    if (!expectName(member, "a name in a set"))
      return false;
    members.push_back(member);
    if (!takeIf(TokenKind::Comma))
      break;
  }
  if (!expect(TokenKind::RightBrace, "after the names of a set"))
    return false;
  range = begin.to(previous().range);
  return true;
}

// ---------------------------------------------------------------- entry points

SourceTree frontend::parseFile(const SourceFiles &sources, uint32_t file, Diagnostics &diagnostics) {
  return Parser(sources, lex(sources, file, diagnostics), diagnostics).parseFile();
}

ExprPtr frontend::parseExpression(const SourceFiles &sources, uint32_t file, Diagnostics &diagnostics) {
  return Parser(sources, lex(sources, file, diagnostics), diagnostics).parseWholeExpression();
}
