// A call of a built-in function: its arguments, and what a meaning needs to check and emit.
#pragma once

#include "frontend/sema/Emitter.h"
#include "frontend/sema/Sema.h"
#include "frontend/sema/builtins/Builtin.h"

namespace stretto::frontend {

using Values = std::vector<Value>;

/// What was given for one parameter: several values only for the first one of a variadic function.
struct BuiltinArgument {
  llvm::SmallVector<Value, 1> values;
  llvm::SmallVector<SourceRange, 1> ranges;
};

class BuiltinCall {
public:
  /// `arguments` are parallel to the parameters and of their kinds.
  BuiltinCall(const Builtin &builtin, const CallExpr &call, std::vector<BuiltinArgument> arguments, NameHint hint,
              const ElaborationOptions &options, Emitter &emitter)
      : options(options), emitter(emitter), builtin(builtin), call(call), arguments(std::move(arguments)), hint(hint) {}

  const ElaborationOptions &options;
  Emitter &emitter;

  llvm::StringRef name() const { return builtin.name; }
  SourceRange range() const { return call.range; }

  // --- arguments

  bool has(llvm::StringRef parameter) const { return !find(parameter).values.empty(); }
  /// The values of the first parameter.
  llvm::ArrayRef<Value> operands() const { return arguments[0].values; }
  const Value &value(llvm::StringRef parameter) const { return find(parameter).values[0]; }
  /// The type of a tensor.
  const Type &type(llvm::StringRef parameter) const { return typeOf(value(parameter)); }
  /// The place of the argument, or of the call where none is given.
  SourceRange rangeOf(llvm::StringRef parameter) const;
  int64_t integer(llvm::StringRef parameter, int64_t whenAbsent) const;
  double real(llvm::StringRef parameter, double whenAbsent) const;
  bool flag(llvm::StringRef parameter, bool whenAbsent) const;
  std::string symbol(llvm::StringRef parameter) const;
  Initializer initializer(llvm::StringRef parameter, Initializer whenAbsent) const;
  /// A size with its provenance; for a computed one, the text of the argument.
  Dim dim(llvm::StringRef parameter) const;

  // --- errors

  Diagnostic &error(const llvm::Twine &message) const { return emitter.reporter.error(range(), message); }
  Diagnostic &errorAt(llvm::StringRef parameter, const llvm::Twine &message) const {
    return emitter.reporter.error(rangeOf(parameter), message);
  }
  /// Reports unless the tensors of this parameter are activations.
  bool expectRows(llvm::StringRef parameter) const;
  /// Reports unless they are activations or weights of one dimension.
  bool expectRowsOrVectors(llvm::StringRef parameter) const;
  bool expectRowsOrWeights(llvm::StringRef parameter) const;
  /// Reports unless low <= value <= high (when the argument is given).
  bool expectInRange(llvm::StringRef parameter, int64_t low, int64_t high = INT64_MAX) const;
  /// Reports unless the value, at least 1, divides the width of each tensor of an operand; `usual` where it is absent.
  bool expectParts(llvm::StringRef parameter, int64_t usual, llvm::StringRef operand = "x") const;

  /// Reports an initializer beside a weight that is given.
  bool expectOwnInit() const;
  /// Reports an initializer of a bias that is not asked for.
  bool expectOwnBias() const;

  // --- results

  /// The operation of the function's name.
  Value operation(llvm::ArrayRef<Value> operands, const Type &type, llvm::ArrayRef<Attribute> attributes = {}) const {
    return emitter.emit(name(), operands, type, range(), attributes);
  }
  /// What the names of the weights of this call begin with; a new one each time.
  std::string weightScope() const { return emitter.weightScope(name(), hint); }
  Value weight(const std::string &weightName, llvm::ArrayRef<Dim> dims, Initializer init,
               Training training = {}) const {
    return emitter.makeWeight(weightName, dims, init, training, range());
  }

private:
  size_t indexOf(llvm::StringRef parameter) const;
  bool expectTypes(llvm::StringRef parameter, llvm::StringRef wanted, bool (*fits)(const Type &)) const;
  const BuiltinArgument &find(llvm::StringRef parameter) const { return arguments[indexOf(parameter)]; }

  const Builtin &builtin;
  const CallExpr &call;
  const std::vector<BuiltinArgument> arguments;
  const NameHint hint;
};

} // namespace stretto::frontend
