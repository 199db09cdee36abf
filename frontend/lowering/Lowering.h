// How operations of an elaborated program become operations of MLIR: tables by name, one for each family.
#pragma once

#include "frontend/sema/Program.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace stretto::frontend {

/// One operation to be lowered.
struct OpToLower {
  const Op &op;
  const Program &program;
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<mlir::Type> types; // of its results
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value operand(size_t index) const { return operands[index]; }
  /// Of its only result.
  mlir::RankedTensorType type() const { return llvm::cast<mlir::RankedTensorType>(types[0]); }
  /// Makes an operation at its place.
  template <typename OpTy, typename... Arguments>
  OpTy make(Arguments &&...arguments) const {
    return OpTy::create(builder, loc, std::forward<Arguments>(arguments)...);
  }
  /// A tensor of one number.
  mlir::Value splat(double number, mlir::Type type) const;
};

using Lowered = llvm::SmallVector<mlir::Value>;

struct Lowering {
  llvm::StringRef name;
  /// The values of the results.
  Lowered (*lower)(const OpToLower &at);
};

llvm::ArrayRef<Lowering> elementwiseLowerings();
llvm::ArrayRef<Lowering> sequenceLowerings();
/// Calls and loops.
llvm::ArrayRef<Lowering> callLowerings();

/// Makes those of an extension known, before anything is read. They must live on.
void addLowerings(llvm::ArrayRef<Lowering> family);

/// Of all families; the elaborator makes no other operations than these.
std::vector<llvm::StringRef> loweredNames();
Lowered lower(const OpToLower &at);

} // namespace stretto::frontend
