// The arguments of one call of a built-in operation, checked against its signature.
#ifndef STRETTO_FRONTEND_SEMA_BUILTINARGUMENTS_H
#define STRETTO_FRONTEND_SEMA_BUILTINARGUMENTS_H

#include "frontend/Sema/BuiltinTable.h"
#include "frontend/Sema/Elaborator.h"

namespace stretto {

class BuiltinArguments {
public:
  /// `hint` names the weights made in the operands.
  BuiltinArguments(Elaborator &elaborator, const BuiltinSignature &signature, const CallExpr &call, NameHint hint)
      : signature(signature), call(call), elaborator(elaborator), hint(hint), values(signature.parameters.size()) {}

  /// Evaluates and checks every argument; false after an error.
  bool bind();

  const BuiltinSignature &signature;
  const CallExpr &call;

  llvm::StringRef name() const { return signature.name; }
  SourceRange range() const { return call.range; }
  bool has(llvm::StringRef parameter) const { return !list(parameter).empty(); }
  /// The values of the first parameter (several for a variadic operation).
  llvm::ArrayRef<Value> operands() const { return values[0].list; }
  SourceRange rangeOf(llvm::StringRef parameter) const;

  const Value &value(llvm::StringRef parameter) const { return list(parameter)[0]; }
  int64_t integer(llvm::StringRef parameter, int64_t whenAbsent) const;
  double real(llvm::StringRef parameter, double whenAbsent) const;
  bool flag(llvm::StringRef parameter, bool whenAbsent) const;
  std::string symbol(llvm::StringRef parameter) const;
  Initializer initializer(llvm::StringRef parameter, Initializer whenAbsent) const;
  /// A size with its provenance; for a computed one, the text of the argument.
  Dim dim(llvm::StringRef parameter) const;

  /// Reports unless the tensor of this parameter is an activation.
  bool expectRows(llvm::StringRef parameter) const;
  /// Reports unless low <= value <= high (when the argument is given).
  bool expectInRange(llvm::StringRef parameter, int64_t low, int64_t high) const;

private:
  struct Bound {
    llvm::SmallVector<Value, 1> list;
    llvm::SmallVector<SourceRange, 1> ranges;
  };
  size_t indexOf(llvm::StringRef parameter) const;
  llvm::ArrayRef<Value> list(llvm::StringRef parameter) const { return values[indexOf(parameter)].list; }
  bool bindOne(size_t index, const Expr &expr);
  Value evaluate(const BuiltinParameter &parameter, const Expr &expr);
  Value convert(const BuiltinParameter &parameter, Value value, SourceRange range);
  Value convertSymbol(const BuiltinParameter &parameter, const Value &value, SourceRange range);

  Elaborator &elaborator;
  NameHint hint;
  std::vector<Bound> values;
};

} // namespace stretto

#endif
