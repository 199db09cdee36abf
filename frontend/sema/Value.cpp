// Values of expressions during elaboration.
#include "frontend/sema/Value.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace stretto;
using namespace stretto::frontend;

bool Value::isNumber() const { return get<int64_t>() || get<Rational>() || get<double>(); }

double frontend::toFloat(const Value &value) {
  if (auto *integer = value.get<int64_t>())
    return double(*integer);
  if (auto *rational = value.get<Rational>())
    return double(rational->numerator) / double(rational->denominator);
  return *value.get<double>();
}

llvm::StringRef frontend::kindName(const Value &value) {
  static constexpr llvm::StringRef names[] = {"an error", "an int", "a fraction",     "a float", "a bool",
                                              "a symbol", "a set",  "an initializer", "a tensor"};
  return names[value.data.index()];
}

static std::string floatText(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.15g", number);
  bool isWhole = text.find_first_of(".en") == std::string::npos;
  return isWhole ? text + ".0" : text;
}

std::string frontend::toString(const Value &value) {
  if (auto *integer = value.get<int64_t>())
    return std::to_string(*integer);
  if (auto *rational = value.get<Rational>())
    return std::to_string(rational->numerator) + " / " + std::to_string(rational->denominator);
  if (auto *real = value.get<double>())
    return floatText(*real);
  if (auto *flag = value.get<bool>())
    return *flag ? "true" : "false";
  if (auto *symbol = value.get<Symbol>())
    return symbol->name;
  if (auto *set = value.get<SymbolSet>()) {
    std::string text = "{";
    for (const std::string &member : set->members)
      text += (text.size() > 1 ? ", " : "") + member;
    return text + "}";
  }
  return value.isTensor() ? "tensor" : kindName(value).str();
}

std::string frontend::describe(const Value &value) {
  std::string kind = kindName(value).str(), text = value.isTensor() ? kind : toString(value);
  return text == kind ? kind : kind + " (" + text + ")";
}

bool frontend::sameStatic(const Value &a, const Value &b) {
  if (a.get<double>() && b.get<double>())
    return *a.get<double>() == *b.get<double>();
  auto *first = a.get<Initializer>();
  auto *second = b.get<Initializer>();
  if (first && second)
    return first->kind == second->kind && first->a == second->a && first->b == second->b;
  return a.data.index() == b.data.index() && !a.isTensor() && toString(a) == toString(b);
}
