// Types and locations of an elaborated program in a context.
#pragma once

#include "frontend/sema/Program.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace stretto::frontend {

class Translator {
public:
  Translator(mlir::MLIRContext &context, const SourceFiles &sources, mlir::Type elementType)
      : context(context), sources(sources), elementType(elementType) {}

  mlir::RankedTensorType type(const Type &type) const;
  mlir::Location location(SourceRange range) const;
  /// The place of an operation; operations inlined from defs carry the calls, named values their names.
  mlir::Location location(const Op &op, const Function &function) const;

private:
  mlir::MLIRContext &context;
  const SourceFiles &sources;
  mlir::Type elementType;
};

} // namespace stretto::frontend
