// Emits the operations of one function.
#ifndef STRETTO_FRONTEND_BUILD_FUNCTIONEMITTER_H
#define STRETTO_FRONTEND_BUILD_FUNCTIONEMITTER_H

#include "frontend/Sema/Program.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace stretto {

/// Types and locations of the program in a context.
class Translator {
public:
  Translator(mlir::MLIRContext &context, const SourceFiles &sources, mlir::Type elementType)
      : context(context), sources(sources), elementType(elementType) {}

  mlir::RankedTensorType type(const Type &type) const;
  mlir::Location location(SourceRange range) const;
  /// The place of an operation; operations inlined from defs carry the calls, named values their names.
  mlir::Location location(const Op &op, const Function &function) const;

  mlir::MLIRContext &context;

private:
  const SourceFiles &sources;
  mlir::Type elementType;
};

class FunctionEmitter {
public:
  FunctionEmitter(mlir::OpBuilder &builder, const Translator &translator, const Program &program,
                  const Function &function)
      : builder(builder), translator(translator), program(program), function(function),
        values(function.values.size()) {}

  void bind(ValueId id, mlir::Value value) { values[id] = value; }
  /// Emits all operations and the return.
  void emit();

private:
  using ValueList = llvm::SmallVector<mlir::Value>;

  ValueList emitOp(const Op &op);
  ValueList emitCall(const Op &op);
  ValueList emitScan(const Op &op);
  mlir::Value emitElementwise(const Op &op);
  mlir::Value emitUnary(const Op &op, mlir::Value x);
  mlir::Value emitGelu(mlir::Value x);
  mlir::Value emitSequence(const Op &op);
  mlir::Value emitAttention(const Op &op);
  mlir::Value splat(double value, mlir::Type type);
  mlir::Value operand(const Op &op, size_t index) const { return values[op.operands[index]]; }
  mlir::RankedTensorType resultType(const Op &op, size_t index = 0) const {
    return translator.type(function.values[op.results[index]].type);
  }

  mlir::OpBuilder &builder;
  const Translator &translator;
  const Program &program;
  const Function &function;
  std::vector<mlir::Value> values;
  mlir::Location loc = builder.getUnknownLoc();
};

} // namespace stretto

#endif
