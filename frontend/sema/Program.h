// The elaborated program: what a model is once all its parameters are known. Functions of operations on
// tensors with concrete shapes; layers are scans; weights have their full names. Free of MLIR.
#pragma once

#include "frontend/diagnostics/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <optional>
#include <variant>

namespace stretto::frontend {

struct Declaration;

/// Where a number came from: the parameter or variable it is known by, and the place of its value.
struct Provenance {
  std::string name;
  SourceRange range;
};

/// A size, with its provenance (or null).
struct Dim {
  int64_t size = 0;
  const Provenance *provenance = nullptr;
};

/// Type of a value. Activations are rows: [batch, length, width]; tokens are ids [batch, length], positions their
/// places; weights have no batch and no length.
struct Type {
  enum class Kind : uint8_t { Rows, Tokens, Positions, Weight } kind = Kind::Rows;
  llvm::SmallVector<Dim, 4> dims;

  bool isRows() const { return kind == Kind::Rows; }
  /// Whether these are numbers of rows of a table, nothing to compute with.
  bool isIndices() const { return kind == Kind::Tokens || kind == Kind::Positions; }
  bool isWeight() const { return kind == Kind::Weight; }
  const Dim &width() const { return dims.back(); }
  /// Equal kind and sizes; provenance does not matter.
  bool operator==(const Type &other) const;
  /// "[batch=8, length=512, dim=256]"
  std::string str() const;
  /// The same behind what it is, unless these are rows: "a weight [24, dim=256]", "tokens [batch=8, length=512]".
  std::string describe() const;
  /// What makes rows of indices: "use embed(tokens, ...) first". Empty for all else.
  llvm::StringRef adviseEmbed() const;
};

/// Initial distribution of a weight; a and b as in runtime/abi.
struct Initializer {
  enum class Kind : uint8_t { Constant, Normal, TruncatedNormal, Uniform, LogOfUniform, StepBias };
  Kind kind = Kind::Constant;
  double a = 0, b = 0;
  bool operator==(const Initializer &) const = default;
};
inline constexpr Initializer zeros{Initializer::Kind::Constant, 0, 0}, ones{Initializer::Kind::Constant, 1, 0};
/// Of weights of matmuls and tables.
inline constexpr Initializer normal02{Initializer::Kind::Normal, 0, 0.02};

/// The initializer that a name stands for by itself, or null.
const Initializer *findInitializer(llvm::StringRef name);

/// What the learning rate and the weight decay of a weight are multiplied by.
struct Factors {
  double learningRate = 1, weightDecay = 1;
  bool operator==(const Factors &) const = default;
};

/// The part of a weight in training.
struct Training {
  bool frozen = false;
  Factors factors;
};

/// The layers a stacked weight belongs to: first, first + step, ... (count of them).
struct Stack {
  int64_t first = 0, step = 1, count = 1;
};

using ValueId = unsigned;

/// A weight that a function needs from its caller. In `main` it is a parameter of the model. Each "{}" in
/// the name stands for the layer number of the stack of the same position, outermost first; the type has
/// one leading dimension per stack.
struct Weight {
  ValueId value = 0;
  std::string name;
  Type type;
  llvm::SmallVector<Initializer, 1> inits; // one, or one for each layer of a stack
  llvm::SmallVector<Factors, 1> factors;   // likewise
  bool frozen = false;
  llvm::SmallVector<Stack, 1> stacks;
  SourceRange range;
  const Declaration *sharedBy = nullptr; // the block all of whose calls have this weight; the name is that in the block
  SourceRange sharedAt;                  // the call of that block
};

struct Attribute {
  llvm::StringRef name; // a literal
  std::variant<int64_t, double, bool, std::string, std::vector<double>> value;
};

/// The operations that the language itself is made of. The others are built-in functions and have their names
/// (frontend/sema/builtins).
inline constexpr llvm::StringLiteral coreOperations[] = {
    "add", "sub", "mul", "div", "neg", "constant", "broadcast", "concat", "slice", "call", "scan", "layer_numbers"};

/// One operation.
struct Op {
  llvm::StringRef name; // a literal
  llvm::SmallVector<ValueId, 4> operands;
  llvm::SmallVector<ValueId, 2> results;
  llvm::SmallVector<Attribute, 4> attributes;
  std::optional<unsigned> callee; // function of a call or scan
  SourceRange range;
  llvm::SmallVector<SourceRange, 1> callSites; // defs it was inlined from, innermost first
  bool recompute = false, noFuse = false;

  int64_t integer(llvm::StringRef key) const;
  double real(llvm::StringRef key) const;
  bool flag(llvm::StringRef key) const;
  llvm::StringRef text(llvm::StringRef key) const;
  const std::vector<double> &reals(llvm::StringRef key) const;

private:
  const Attribute &attribute(llvm::StringRef key) const;
};

struct ValueInfo {
  Type type;
  std::string name; // variable it is bound to, or empty
  SourceRange range;
};

/// A function. Its formal parameters are `arguments`, then the values of `weights`, then `numbers`, then `invariants`.
/// A call passes them in this order. The body of a scan has as many results as arguments: they are the carry; the scan
/// passes stacked weights and numbers; only bodies of scans have invariants.
struct Function {
  std::string name;
  SourceRange range;
  std::vector<ValueInfo> values;
  std::vector<ValueId> arguments;
  std::vector<Weight> weights;
  std::vector<ValueId> numbers; // by which layers differ, weights [1]
  std::vector<ValueId> invariants;
  std::vector<Op> ops;
  std::vector<ValueId> results;
  std::vector<ValueId> handedOn; // by iterations of a repeat that were written out, whether or not another one reads it
  int64_t operations = 0;        // with those of the functions that it calls, once for each call

  ValueId addValue(Type type, SourceRange range, llvm::StringRef name = "");
  /// The values of its formal parameters, in their order.
  std::vector<ValueId> formals() const;
};

/// A parameter of the model with its value.
struct ResolvedParameter {
  std::string name, type, value;
  std::string origin; // "--set", "task", or "default file:line:column"
};

/// Keeps what dims and values say they come from.
class Provenances {
public:
  const Provenance *add(llvm::StringRef name, SourceRange range) {
    return &list.emplace_back(Provenance{name.str(), range});
  }

private:
  std::deque<Provenance> list;
};

struct Program {
  std::string model;
  int64_t batch = 0, length = 0, vocabulary = 0;
  std::vector<Function> functions; // callees before callers; the last is main
  std::vector<ResolvedParameter> parameters;
  Provenances provenances;

  const Function &main() const { return functions.back(); }
};

/// Prints the program as text, one operation per line (for tests of the elaboration).
std::string toString(const Program &program);

/// A text that is equal for two functions exactly when they compute the same; places do not matter.
std::string structure(const Function &function);
/// The same of functions that call functions that are equal where `calleeName` is, and perhaps whatever the numbers of
/// their constants, and how their weights begin.
std::string structure(const Function &function, llvm::function_ref<std::string(unsigned)> calleeName, bool withNumbers);

} // namespace stretto::frontend
