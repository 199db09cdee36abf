// Types of parameters, and values that must be of one.
#pragma once

#include "frontend/sema/Reporter.h"
#include "frontend/sema/Value.h"

namespace stretto::frontend {

/// The type of a parameter once its members are known.
struct ParameterType {
  TypeSyntax::Kind kind = TypeSyntax::Kind::Any;
  Universe universe = nullptr;
};

/// The type as it is written.
ParameterType typeOf(const TypeSyntax &syntax);
/// The type that a default value implies, where none is written.
ParameterType impliedType(const Value &value);

/// The value as one of that type, for the parameter `name`. Reports what does not fit and gives an error value.
Value convert(Reporter &reporter, Value value, const ParameterType &type, llvm::StringRef name, SourceRange range);
/// Reports unless `member` is one of what `of` takes, with the nearest one or else the advice.
bool checkMember(Reporter &reporter, llvm::StringRef member, const Universe &universe, llvm::StringRef of,
                 SourceRange range, llvm::StringRef advice = "");
/// Reports a quotient where an int (`where` says for what) or a float is needed: which one, nobody knows without
/// `where`.
void reportInexact(Reporter &reporter, const Rational &rational, llvm::StringRef where = "");
/// `what` must be ...
std::optional<int64_t> expectInt(Reporter &reporter, const Value &value, llvm::StringRef what, SourceRange range);
std::optional<bool> expectBool(Reporter &reporter, const Value &value, llvm::StringRef what, SourceRange range);

} // namespace stretto::frontend
