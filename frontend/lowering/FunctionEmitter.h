// Emits the operations of one function.
#pragma once

#include "frontend/lowering/Translator.h"

#include "mlir/IR/Builders.h"

namespace stretto::frontend {

class FunctionEmitter {
public:
  FunctionEmitter(mlir::OpBuilder &builder, const Translator &translator, const Program &program,
                  const Function &function)
      : builder(builder), translator(translator), program(program), function(function), values(function.values.size()) {
  }

  void bind(ValueId id, mlir::Value value) { values[id] = value; }
  /// Emits all operations and the return.
  void emit();

private:
  void emit(const Op &op);

  mlir::OpBuilder &builder;
  const Translator &translator;
  const Program &program;
  const Function &function;
  std::vector<mlir::Value> values;
};

} // namespace stretto::frontend
