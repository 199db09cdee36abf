// Expressions. Operators from weakest to strongest: or; and; comparisons and `in`; + -; * / %; unary - and not.
#include "frontend/parse/ParserImpl.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

struct OperatorInfo {
  TokenKind token;
  BinaryOperator op;
  unsigned precedence;
  llvm::StringRef spelling;
};

constexpr unsigned comparison = 3, additive = 4, multiplicative = 5;

constexpr OperatorInfo operators[] = {
    {TokenKind::KwOr, BinaryOperator::Or, 1, "or"},
    {TokenKind::KwAnd, BinaryOperator::And, 2, "and"},
    {TokenKind::Equal, BinaryOperator::Equal, comparison, "=="},
    {TokenKind::NotEqual, BinaryOperator::NotEqual, comparison, "!="},
    {TokenKind::Less, BinaryOperator::Less, comparison, "<"},
    {TokenKind::LessEqual, BinaryOperator::LessEqual, comparison, "<="},
    {TokenKind::Greater, BinaryOperator::Greater, comparison, ">"},
    {TokenKind::GreaterEqual, BinaryOperator::GreaterEqual, comparison, ">="},
    {TokenKind::KwIn, BinaryOperator::In, comparison, "in"},
    {TokenKind::Plus, BinaryOperator::Add, additive, "+"},
    {TokenKind::Minus, BinaryOperator::Subtract, additive, "-"},
    {TokenKind::Star, BinaryOperator::Multiply, multiplicative, "*"},
    {TokenKind::Slash, BinaryOperator::Divide, multiplicative, "/"},
    {TokenKind::Percent, BinaryOperator::Remainder, multiplicative, "%"},
};

const OperatorInfo *findOperator(TokenKind kind) {
  for (const OperatorInfo &info : operators)
    if (info.token == kind)
      return &info;
  return nullptr;
}

} // namespace

llvm::StringRef frontend::spelling(BinaryOperator op) {
  for (const OperatorInfo &info : operators)
    if (info.op == op)
      return info.spelling;
  return "";
}

ExprPtr Parser::withHeight(ExprPtr expr, unsigned childHeight) {
  expr->height = childHeight + 1;
  if (expr->height <= maxNesting)
    return expr;
  diagnostics.error(expr->range, "an expression has at most " + llvm::Twine(maxNesting) + " levels of operations");
  return nullptr;
}

ExprPtr Parser::parseWholeExpression() {
  ExprPtr value = parseExpr();
  if (value && !isAt(TokenKind::End)) {
    unexpected("the end of the value");
    return nullptr;
  }
  return value;
}

ExprPtr Parser::parseExpr() {
  auto level = nested();
  return tooDeep() ? nullptr : parseBinary(1);
}

/// The expression that is the whole text of a comment, up to a comment in it; null if there is none.
ExprPtr Parser::expressionIn(const Token &comment) const {
  llvm::StringRef text = comment.text.drop_front(2).split("//").first.rtrim(",; \t");
  SourceRange part = comment.range;
  part.begin += 2;
  part.end = part.begin + text.size();
  Diagnostics unheard(sources);
  Parser parser(sources, lex(sources, part, unheard), unheard);
  parser.depth = depth;
  ExprPtr value = parser.parseWholeExpression();
  if (unheard.hasErrors())
    return nullptr;
  value->range = comment.range;
  return value;
}

/// Operands and their products, as '//' would divide them, keep what the comment behind them says.
ExprPtr Parser::withComment(ExprPtr dividend) const {
  auto found = comments.find(previous().range.end);
  if (dividend && found != comments.end())
    dividend->comment = expressionIn(found->second);
  return dividend;
}

ExprPtr Parser::parseBinary(unsigned minPrecedence) {
  ExprPtr left = parseUnary();
  if (minPrecedence <= multiplicative)
    left = withComment(std::move(left));
  while (left) {
    const OperatorInfo *info = findOperator(peek().kind);
    if (!info || info->precedence < minPrecedence)
      break;
    take();
    ExprPtr right = parseBinary(info->precedence + 1);
    if (!right)
      return nullptr;
    unsigned height = std::max(left->height, right->height);
    SourceRange range = left->range.to(right->range);
    left = withHeight(std::make_unique<BinaryExpr>(range, info->op, std::move(left), std::move(right)), height);
    if (info->precedence == multiplicative)
      left = withComment(std::move(left));
    const OperatorInfo *next = findOperator(peek().kind);
    if (left && info->precedence == comparison && next && next->precedence == comparison) {
      unexpected("'and' between two comparisons");
      return nullptr;
    }
  }
  return left;
}

ExprPtr Parser::parseUnary() {
  bool negate = isAt(TokenKind::Minus);
  if (!negate && !isAt(TokenKind::KwNot))
    return parsePrimary();
  auto level = nested();
  if (tooDeep())
    return nullptr;
  SourceRange begin = take().range;
  if (negate)
    layout.prefixes.insert(begin.begin);
  // `not` reaches over comparisons (not a == b), the sign only over a factor.
  ExprPtr operand = negate ? parseUnary() : parseBinary(comparison);
  if (!operand)
    return nullptr;
  unsigned height = operand->height;
  SourceRange range = begin.to(operand->range);
  return withHeight(
      std::make_unique<UnaryExpr>(range, negate ? UnaryOperator::Negate : UnaryOperator::Not, std::move(operand)),
      height);
}

ExprPtr Parser::parsePrimary() {
  switch (peek().kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
    return parseNumber();
  case TokenKind::KwTrue:
  case TokenKind::KwFalse: {
    Token token = take();
    return std::make_unique<BoolExpr>(token.range, token.is(TokenKind::KwTrue));
  }
  case TokenKind::Name: {
    Token name = take();
    if (isAt(TokenKind::LeftParen))
      return parseCall({name.text, name.range});
    return std::make_unique<NameExpr>(name.range, name.text);
  }
  case TokenKind::LeftParen:
    return parseParenthesized();
  case TokenKind::LeftBrace:
    return parseSet();
  case TokenKind::KwIf:
    return parseConditional();
  default:
    break;
  }
  unexpected("an expression", {}, isAt(TokenKind::String) ? "; a symbol stands without quotes" : "");
  return nullptr;
}

ExprPtr Parser::parseNumber() {
  Token token = take();
  if (token.is(TokenKind::Integer)) {
    int64_t value = 0;
    token.text.getAsInteger(10, value);
    return std::make_unique<IntegerExpr>(token.range, value);
  }
  double value = 0;
  token.text.getAsDouble(value);
  return std::make_unique<FloatExpr>(token.range, value);
}

ExprPtr Parser::parseParenthesized() {
  SourceRange begin = take().range;
  ExprPtr value = parseExpr();
  if (!value || !expect(TokenKind::RightParen, "after an expression"))
    return nullptr;
  value->range = begin.to(previous().range);
  return value;
}

ExprPtr Parser::parseConditional() {
  auto expr = std::make_unique<ConditionalExpr>(take().range);
  expr->condition = parseExpr();
  if (!expr->condition || !expect(TokenKind::KwThen, "after the condition"))
    return nullptr;
  expr->whenTrue = parseExpr();
  if (!expr->whenTrue || !expect(TokenKind::KwElse, "after the value of 'then'"))
    return nullptr;
  expr->whenFalse = parseExpr();
  if (!expr->whenFalse)
    return nullptr;
  expr->range = expr->range.to(expr->whenFalse->range);
  unsigned height = std::max({expr->condition->height, expr->whenTrue->height, expr->whenFalse->height});
  return withHeight(std::move(expr), height);
}

ExprPtr Parser::parseSet() {
  auto set = std::make_unique<SetExpr>(peek().range);
  if (!parseMembers(set->members, set->range))
    return nullptr;
  return set;
}

bool Parser::parseArgument(Argument &argument) {
  if (isAt(TokenKind::Name) && peek(1).is(TokenKind::Assign)) {
    Token name = take();
    argument.name = {name.text, name.range};
    take();
  }
  argument.value = parseExpr();
  return argument.value != nullptr;
}

ExprPtr Parser::parseCall(Identifier callee) {
  auto call = std::make_unique<CallExpr>(callee.range, callee);
  take();
  unsigned height = 0;
  while (!isAt(TokenKind::RightParen)) {
    Argument argument;
    if (!parseArgument(argument))
      return nullptr;
    height = std::max(height, argument.value->height);
    call->arguments.push_back(std::move(argument));
    if (!takeIf(TokenKind::Comma))
      break;
  }
  if (!expect(TokenKind::RightParen, "after the arguments of '" + callee.text + "'"))
    return nullptr;
  call->range = call->range.to(previous().range);
  return withHeight(std::move(call), height);
}
