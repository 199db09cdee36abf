// The arguments of one call of a built-in operation, checked against its signature.
#include "frontend/Sema/BuiltinArguments.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace stretto;

size_t BuiltinArguments::indexOf(llvm::StringRef parameter) const {
  size_t index = 0;
  while (signature.parameters[index].name != parameter)
    ++index;
  return index;
}

bool BuiltinArguments::bind() {
  std::vector<llvm::StringRef> names;
  for (const BuiltinParameter &parameter : signature.parameters)
    names.push_back(parameter.name);
  size_t position = 0;
  bool valid = true;
  for (const Argument &argument : call.arguments) {
    size_t index = signature.isVariadic ? 0 : position;
    if (argument.name.text.empty()) {
      ++position;
    } else {
      index = llvm::find(names, argument.name.text) - names.begin();
      if (index == names.size()) {
        elaborator.error(argument.name.range, "'" + name() + "' has no parameter '" + argument.name.text + "'" +
                                                  didYouMean(argument.name.text, names));
        return false;
      }
    }
    if (index >= names.size()) {
      elaborator.error(argument.value->range,
                       "'" + name() + "' takes at most " + llvm::Twine(names.size()) + " arguments, but got more");
      return false;
    }
    if (!values[index].list.empty() && (!signature.isVariadic || index != 0)) {
      elaborator.error(argument.value->range, "the argument '" + names[index] + "' is given twice");
      return false;
    }
    valid &= bindOne(index, *argument.value);
  }
  for (size_t i = 0; i < names.size() && valid; ++i)
    if (signature.parameters[i].isRequired && values[i].list.empty()) {
      elaborator.error(call.range, "'" + name() + "' needs the argument '" + names[i] + "'");
      return false;
    }
  return valid;
}

bool BuiltinArguments::bindOne(size_t index, const Expr &expr) {
  Value value = evaluate(signature.parameters[index], expr);
  if (value.isError())
    return false;
  values[index].list.push_back(std::move(value));
  values[index].ranges.push_back(expr.range);
  return true;
}

Value BuiltinArguments::evaluate(const BuiltinParameter &parameter, const Expr &expr) {
  auto *bare = llvm::dyn_cast<NameExpr>(&expr);
  if (bare && parameter.kind == ArgumentKind::Enum && !elaborator.lookup(bare->name))
    return convertSymbol(parameter, Symbol{bare->name.str(), nullptr}, expr.range);
  Value value = elaborator.evaluate(expr, hint);
  const Provenance *provenance = value.provenance;
  value = value.isError() ? value : convert(parameter, std::move(value), expr.range);
  value.provenance = provenance;
  return value;
}

Value BuiltinArguments::convertSymbol(const BuiltinParameter &parameter, const Value &value, SourceRange range) {
  auto *symbol = value.get<Symbol>();
  llvm::SmallVector<llvm::StringRef> members;
  parameter.members.split(members, ' ');
  if (symbol && llvm::is_contained(members, symbol->name))
    return value;
  std::string got = symbol ? symbol->name : toString(value);
  elaborator.error(range, "'" + parameter.name + "' of '" + name() + "' is one of " +
                              llvm::join(members, ", ") + ", but got '" + got + "'" + didYouMean(got, members));
  return {};
}

Value BuiltinArguments::convert(const BuiltinParameter &parameter, Value value, SourceRange range) {
  std::string what = ("'" + parameter.name + "' of '" + name() + "'").str();
  auto fail = [&](llvm::StringRef wanted) {
    elaborator.error(range, what + " must be " + wanted + ", but got " + describe(value));
    return Value();
  };
  switch (parameter.kind) {
  case ArgumentKind::Any: return value.isNumber() || value.isTensor() ? value : fail("a number or a tensor");
  case ArgumentKind::Tensor: return value.isTensor() ? value : fail("a tensor");
  case ArgumentKind::Int: {
    std::optional<int64_t> integer = elaborator.expectInt(value, what, range);
    return integer ? Value(*integer) : Value();
  }
  case ArgumentKind::Float: return value.isNumber() ? Value(toFloat(value)) : fail("a number");
  case ArgumentKind::Bool: return value.get<bool>() ? value : fail("true or false");
  case ArgumentKind::Enum: return convertSymbol(parameter, value, range);
  case ArgumentKind::Initializer: break;
  }
  return value.get<Initializer>() ? value : fail("an initializer such as normal(0.02) or zeros");
}

SourceRange BuiltinArguments::rangeOf(llvm::StringRef parameter) const {
  const Bound &bound = values[indexOf(parameter)];
  return bound.ranges.empty() ? call.range : bound.ranges[0];
}

int64_t BuiltinArguments::integer(llvm::StringRef parameter, int64_t whenAbsent) const {
  return has(parameter) ? *value(parameter).get<int64_t>() : whenAbsent;
}

double BuiltinArguments::real(llvm::StringRef parameter, double whenAbsent) const {
  return has(parameter) ? *value(parameter).get<double>() : whenAbsent;
}

bool BuiltinArguments::flag(llvm::StringRef parameter, bool whenAbsent) const {
  return has(parameter) ? *value(parameter).get<bool>() : whenAbsent;
}

std::string BuiltinArguments::symbol(llvm::StringRef parameter) const {
  if (has(parameter))
    return value(parameter).get<Symbol>()->name;
  return signature.parameters[indexOf(parameter)].members.split(' ').first.str();
}

Initializer BuiltinArguments::initializer(llvm::StringRef parameter, Initializer whenAbsent) const {
  return has(parameter) ? *value(parameter).get<Initializer>() : whenAbsent;
}

Dim BuiltinArguments::dim(llvm::StringRef parameter) const {
  const Value &size = value(parameter);
  const Provenance *provenance = size.provenance;
  SourceRange range = rangeOf(parameter);
  llvm::StringRef text = elaborator.sources.text(range);
  constexpr size_t maxText = 40;
  bool isComputed = !provenance && text.size() <= maxText && text.find_first_not_of("0123456789") != text.npos;
  if (isComputed)
    provenance = elaborator.makeProvenance(text, range);
  return {*size.get<int64_t>(), provenance};
}

bool BuiltinArguments::expectRows(llvm::StringRef parameter) const {
  const Bound &bound = values[indexOf(parameter)];
  for (size_t i = 0; i < bound.list.size(); ++i) {
    const Type &type = elaborator.typeOf(bound.list[i]);
    if (type.isRows())
      continue;
    bool isTokens = type.kind == Type::Kind::Tokens;
    elaborator.error(bound.ranges[i], "'" + parameter + "' of '" + name() + "' must be [batch, length, width], but got " +
                                          (isTokens ? "tokens " : "a weight ") + type.str() +
                                          (isTokens ? "; use embed(tokens, ...) first" : ""));
    return false;
  }
  return true;
}

bool BuiltinArguments::expectInRange(llvm::StringRef parameter, int64_t low, int64_t high) const {
  if (!has(parameter))
    return true;
  int64_t got = *value(parameter).get<int64_t>();
  if (got >= low && got <= high)
    return true;
  std::string bounds = high == INT64_MAX ? llvm::formatv("at least {0}", low).str()
                                         : llvm::formatv("between {0} and {1}", low, high).str();
  Diagnostic &diagnostic = elaborator.error(rangeOf(parameter), "'" + parameter + "' of '" + name() + "' must be " +
                                                                    bounds + ", but got " + llvm::Twine(got));
  elaborator.noteOrigin(diagnostic, value(parameter).provenance);
  return false;
}
