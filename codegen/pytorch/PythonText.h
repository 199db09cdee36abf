//===- PythonText.h - names, numbers and expressions of Python ------------------===//
#pragma once

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace stretto::codegen::python {

/// How tightly an expression holds together, for parentheses.
enum class Binding { Sum, Product, Negation, Atom };

struct Expression {
  std::string text;
  Binding binding = Binding::Atom;

  /// The text, in parentheses if it binds less tightly than `least`.
  std::string within(Binding least) const { return binding < least ? "(" + text + ")" : text; }
};

/// An identifier made from any text: what Python does not allow becomes an underscore.
std::string identifier(llvm::StringRef text);

/// `gated_mlp` becomes `GatedMlp`.
std::string className(llvm::StringRef text);

/// `hint`, or `hint_2`, `hint_3`, ...: the first one that is not taken.
std::string freshName(llvm::StringRef hint, llvm::function_ref<bool(llvm::StringRef)> isTaken);

/// What the groups of weights of a function are called: `w`, `w_2`, ...
std::string groupName(unsigned group);

/// Keywords, and the names that emitted modules use themselves: those that `helpers` define and call included.
llvm::StringSet<> reservedNames(llvm::StringRef helpers);

/// The shortest literal that is read back as the same number.
std::string number(const llvm::APFloat &value);

/// `count` numbers from `first` on, `step` apart.
std::string range(int64_t first, int64_t step, int64_t count);

/// The text in quotes; with `{}` in it, an f-string where `index` stands for it.
std::string quoted(llvm::StringRef text, llvm::StringRef index = "");

} // namespace stretto::codegen::python
