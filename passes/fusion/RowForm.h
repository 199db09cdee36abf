//===- RowForm.h - operations on whole activations, written for one row -------===//
#pragma once

#include "passes/fusion/RowRoles.h"

#include "ir/kern/KernOps.h"

#include "mlir/IR/Builders.h"

namespace stretto::passes {

/// Writes the body of one `kern.rowwise`: copies operations into it, with the dimensions that the kernel walks
/// dropped, and collects what they read from outside.
class RowForm {
public:
  RowForm(mlir::MLIRContext *context, RowSpace space, const RowRoles &roles, mlir::Block &body);

  /// Copies a member of the kernel; members come in program order. Fails, with an error at the operation, where
  /// what it reads has no form in one row.
  mlir::LogicalResult addMember(mlir::Operation *op);
  /// Copies column sums put side by side as the sum of their operands put side by side.
  mlir::LogicalResult addJoinOfSums(mlir::Operation *op);

  /// The copy of the result of a member.
  mlir::Value getResult(mlir::Value value) const { return known.lookup({value, Form::row}); }

  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs; }
  llvm::ArrayRef<kern::RowMap> getMaps() const { return maps; }

private:
  using Form = kern::RowMap;

  int64_t countDropped(Form form) const;
  mlir::RankedTensorType dropRows(mlir::Type type, Form form) const;
  mlir::Value get(mlir::Value value, Form form);
  mlir::LogicalResult record(mlir::Operation *op, mlir::Value copied);
  mlir::Value copy(mlir::Operation *op, Form form);
  mlir::Value copyConstant(mlir::Operation *op, Form form);
  mlir::Value copyBroadcast(seq::BroadcastOp op, Form form);
  mlir::Value addInput(mlir::Value value, Form form);
  std::optional<Form> formOfOperand(seq::BroadcastOp op, Form form) const;

  RowSpace space;
  const RowRoles &roles;
  mlir::OpBuilder builder;
  mlir::Block &body;
  llvm::DenseMap<std::pair<mlir::Value, Form>, mlir::Value> known;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<kern::RowMap> maps;
};

} // namespace stretto::passes
