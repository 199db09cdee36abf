//===- PythonText.cpp - names, numbers and expressions of Python ----------===//
#include "codegen/pytorch/PythonText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace stretto;
using namespace stretto::codegen;

std::string python::identifier(llvm::StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name.insert(name.begin(), '_');
  return name;
}

std::string python::className(llvm::StringRef text) {
  const std::string whole = identifier(text);
  std::string name;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(whole, words, "_");
  for (llvm::StringRef word : words)
    name += llvm::toUpper(word[0]) + word.drop_front().str();
  return identifier(name);
}

std::string python::freshName(llvm::StringRef hint, llvm::function_ref<bool(llvm::StringRef)> isTaken) {
  std::string name = hint.str();
  for (int next = 2; isTaken(name); ++next)
    name = hint.str() + "_" + std::to_string(next);
  return name;
}

std::string python::groupName(unsigned group) { return group == 0 ? "w" : "w_" + std::to_string(group + 1); }

/// The names that stand right before a parenthesis in the code: of functions and classes that it defines, and of those
/// that it calls. Methods are no names of their own.
static void addCalled(llvm::StringRef code, llvm::StringSet<> &names) {
  for (size_t end = code.find('('); end != llvm::StringRef::npos; end = code.find('(', end + 1)) {
    size_t begin = end;
    while (begin > 0 && (llvm::isAlnum(code[begin - 1]) || code[begin - 1] == '_'))
      --begin;
    bool isMethod = begin > 0 && code[begin - 1] == '.';
    if (begin != end && !isMethod)
      names.insert(code.slice(begin, end));
  }
}

llvm::StringSet<> python::reservedNames(llvm::StringRef helpers) {
  static constexpr llvm::StringLiteral keywords =
      "False None True and as assert async await break class continue def del elif else except finally for from global "
      "if import in is lambda nonlocal not or pass raise return try while with yield";
  static constexpr llvm::StringLiteral imports = "F json nn os torch";
  static constexpr llvm::StringLiteral ofTheText = "float i iter load_stretto loss next range self super";
  llvm::SmallVector<llvm::StringRef> fixed, pieces;
  for (llvm::StringRef list : {keywords, imports, ofTheText})
    llvm::SplitString(list, fixed);
  llvm::StringSet<> names;
  for (llvm::StringRef name : fixed)
    names.insert(name);
  helpers.split(pieces, "\"\"\"");
  for (size_t i = 0; i < pieces.size(); i += 2) // the others are docstrings
    addCalled(pieces[i], names);
  return names;
}

std::string python::number(const llvm::APFloat &value) {
  if (value.isNaN() || value.isInfinity())
    return value.isNaN() ? "float(\"nan\")" : value.isNegative() ? "float(\"-inf\")" : "float(\"inf\")";
  double number = value.convertToDouble();
  int whole = number == 0 ? 1 : int(std::floor(std::log10(std::abs(number)))) + 1; // digits before the point
  std::string text;
  for (int digits = whole <= 16 ? std::max(1, whole) : 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, number);
    if (llvm::APFloat(value.getSemantics(), text) == value)
      break;
  }
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string python::range(int64_t first, int64_t step, int64_t count) {
  std::string begin = std::to_string(first), end = std::to_string(first + count * step);
  if (step != 1)
    return "range(" + begin + ", " + end + ", " + std::to_string(step) + ")";
  return first == 0 ? "range(" + end + ")" : "range(" + begin + ", " + end + ")";
}

std::string python::quoted(llvm::StringRef text, llvm::StringRef index) {
  size_t place = text.find("{}");
  if (place == llvm::StringRef::npos)
    return ("\"" + text + "\"").str();
  return ("f\"" + text.take_front(place) + "{" + index + "}" + text.drop_front(place + 2) + "\"").str();
}
