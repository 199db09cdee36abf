// Types of parameters, and values that must be of one.
#include "frontend/sema/ParameterType.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace stretto;
using namespace stretto::frontend;

static Universe makeUniverse(const std::vector<Identifier> &members) {
  auto names = std::make_shared<std::vector<std::string>>();
  for (const Identifier &member : members)
    names->push_back(member.text.str());
  return names;
}

static std::string listMembers(const Universe &universe) {
  std::string text;
  for (const std::string &member : *universe)
    text += (text.empty() ? "" : ", ") + member;
  return text;
}

ParameterType frontend::typeOf(const TypeSyntax &syntax) {
  ParameterType type{syntax.kind, nullptr};
  if (!syntax.members.empty())
    type.universe = makeUniverse(syntax.members);
  return type;
}

ParameterType frontend::impliedType(const Value &value) {
  using Kind = TypeSyntax::Kind;
  if (value.get<int64_t>() || value.get<Rational>())
    return {Kind::Int, nullptr};
  if (value.get<double>())
    return {Kind::Float, nullptr};
  if (value.get<bool>())
    return {Kind::Bool, nullptr};
  if (auto *set = value.get<SymbolSet>()) {
    Universe universe = set->universe;
    if (!universe && !set->members.empty())
      universe = std::make_shared<std::vector<std::string>>(set->members);
    return {Kind::Set, universe};
  }
  if (auto *symbol = value.get<Symbol>())
    return {symbol->universe ? Kind::Enum : Kind::Any, symbol->universe};
  return {Kind::Any, nullptr};
}

bool frontend::checkMember(Reporter &reporter, llvm::StringRef member, const Universe &universe, llvm::StringRef of,
                           SourceRange range, llvm::StringRef advice) {
  if (!universe || llvm::is_contained(*universe, member))
    return true;
  std::vector<llvm::StringRef> names(universe->begin(), universe->end());
  std::string nearest = didYouMean(member, names);
  reporter.error(range, "'" + of + "' takes " + listMembers(universe) + ", but got '" + member + "'" +
                            (nearest.empty() ? advice : nearest));
  return false;
}

/// The same division of floats.
static std::string floatDivision(llvm::StringRef text) {
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  return digits.empty() ? ("1.0 * " + text).str() : (digits + ".0" + text.drop_front(digits.size())).str();
}

void frontend::reportInexact(Reporter &reporter, const Rational &rational, llvm::StringRef where) {
  std::string text = reporter.text(rational.division).take_front(60).str();
  double quotient = double(rational.numerator) / double(rational.denominator);
  std::string ways = "floor(" + text + "), or floor_to(" + text + ", 8) for a multiple of 8";
  if (where.empty())
    ways = floatDivision(text) + " for a float, " + ways;
  reporter.error(rational.division, "the division must be exact" + where + ", but '" + text + "' is " +
                                        toString(Value(quotient)) + "; write " + ways);
}

static Value convertSet(Reporter &reporter, const Value &value, const ParameterType &type, llvm::StringRef name,
                        SourceRange range) {
  auto *set = value.get<SymbolSet>();
  if (!set) {
    reporter.error(range, "'" + name + "' is a set, but got " + describe(value));
    return {};
  }
  bool valid = true;
  for (const std::string &member : set->members)
    valid &= checkMember(reporter, member, type.universe, name, range);
  return valid ? Value(SymbolSet{set->members, type.universe}) : Value();
}

Value frontend::convert(Reporter &reporter, Value value, const ParameterType &type, llvm::StringRef name,
                        SourceRange range) {
  using Kind = TypeSyntax::Kind;
  if (value.isError())
    return value;
  auto fail = [&](llvm::StringRef wanted) {
    reporter.error(range, "'" + name + "' is " + wanted + ", but got " + describe(value));
    return Value();
  };
  switch (type.kind) {
  case Kind::Any:
    if (auto *rational = value.get<Rational>()) {
      reportInexact(reporter, *rational);
      return {};
    }
    return value;
  case Kind::Int:
    if (auto *rational = value.get<Rational>()) {
      reportInexact(reporter, *rational, (" for the int '" + name + "'").str());
      return {};
    }
    return value.get<int64_t>() ? value : fail("an int");
  case Kind::Float:
    return value.isNumber() ? Value(toFloat(value)) : fail("a float");
  case Kind::Bool:
    return value.get<bool>() ? value : fail("a bool");
  case Kind::Tensor:
    return value.isTensor() ? value : fail("a tensor");
  case Kind::Set:
    return convertSet(reporter, value, type, name, range);
  case Kind::Enum:
    break;
  }
  auto *symbol = value.get<Symbol>();
  if (!symbol)
    return fail(std::string("one of ").append(listMembers(type.universe)));
  return checkMember(reporter, symbol->name, type.universe, name, range) ? Value(Symbol{symbol->name, type.universe})
                                                                         : Value();
}

std::optional<int64_t> frontend::expectInt(Reporter &reporter, const Value &value, llvm::StringRef what,
                                           SourceRange range) {
  if (auto *integer = value.get<int64_t>())
    return *integer;
  if (auto *rational = value.get<Rational>())
    reportInexact(reporter, *rational, (" for " + what).str());
  else if (!value.isError())
    reporter.error(range, what + " must be an int, but got " + describe(value));
  return std::nullopt;
}

std::optional<bool> frontend::expectBool(Reporter &reporter, const Value &value, llvm::StringRef what,
                                         SourceRange range) {
  if (auto *flag = value.get<bool>())
    return *flag;
  if (!value.isError())
    reporter.error(range, what + " must be true or false, but got " + describe(value));
  return std::nullopt;
}
