// Values of expressions during elaboration. Numbers, bools, symbols and sets are concrete; tensors are
// values of the function being built.
#pragma once

#include "frontend/parse/AST.h"
#include "frontend/sema/Program.h"

#include <memory>

namespace stretto::frontend {

class FunctionBuilder;

/// The names a symbol or set may take, or null if any.
using Universe = std::shared_ptr<const std::vector<std::string>>;

/// The exact quotient of two ints that is not an int. It becomes an int by floor_to and the like, or a
/// float where a float is expected.
struct Rational {
  int64_t numerator = 0, denominator = 1;
  SourceRange division; // the division it comes from
};

struct Symbol {
  std::string name;
  Universe universe;
};

struct SymbolSet {
  std::vector<std::string> members; // sorted
  Universe universe;
};

/// A value of a function under construction.
struct Tensor {
  FunctionBuilder *owner = nullptr;
  ValueId id = 0;
};

/// What an expression evaluates to. Holds monostate after an error that was already reported.
struct Value {
  std::variant<std::monostate, int64_t, Rational, double, bool, Symbol, SymbolSet, Initializer, Tensor> data;
  const Provenance *provenance = nullptr;

  Value() = default;
  template <typename T>
  Value(T content, const Provenance *provenance = nullptr) : data(std::move(content)), provenance(provenance) {}

  bool isError() const { return std::holds_alternative<std::monostate>(data); }
  bool isTensor() const { return std::holds_alternative<Tensor>(data); }
  /// An int, a quotient or a float.
  bool isNumber() const;
  template <typename T>
  const T *get() const {
    return std::get_if<T>(&data);
  }
};

/// The value as a float; it must be a number.
double toFloat(const Value &value);

/// "an int", "a tensor", ... for messages.
llvm::StringRef kindName(const Value &value);

/// The value as it is written in the language; tensors print as "tensor".
std::string toString(const Value &value);

/// What a message says was got: "an int (3)", "a tensor".
std::string describe(const Value &value);

/// Whether two values without tensors are the same.
bool sameStatic(const Value &a, const Value &b);

} // namespace stretto::frontend
