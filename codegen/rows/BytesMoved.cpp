//===- BytesMoved.cpp - what a kernel takes from memory and brings back ---------===//
#include "codegen/rows/BytesMoved.h"

#include "passes/support/ParameterLayout.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Marks the columns of a row that something is computed from.
static void markRead(Value row, llvm::BitVector &columns) {
  for (Operation *user : row.getUsers()) {
    auto slice = dyn_cast<seq::SliceOp>(user);
    if (slice)
      columns.set(slice.getOffset(), slice.getOffset() + cast<RankedTensorType>(slice.getType()).getShape().back());
    else if (isa<arith::ExtFOp>(user))
      markRead(user->getResult(0), columns);
    else
      columns.set();
  }
}

static int64_t bytesRead(Value operand, Value inBody) {
  auto type = cast<RankedTensorType>(inBody.getType());
  if (type.getRank() != 1)
    return bytesOf(operand);
  llvm::BitVector columns(type.getDimSize(0));
  markRead(inBody, columns);
  return bytesOf(operand) / type.getDimSize(0) * columns.count();
}

int64_t stretto::codegen::bytesMoved(kern::RowKernel op) {
  int64_t bytes = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    if (OpOperand *operand = op.getOperandOf(argument.getArgNumber()))
      bytes += bytesRead(operand->get(), argument);
  for (Value result : op->getResults())
    bytes += bytesOf(result);
  return bytes;
}

int64_t stretto::codegen::bytesReadOf(kern::RowKernel op, Value value) {
  int64_t bytes = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    if (OpOperand *operand = op.getOperandOf(argument.getArgNumber()); operand && operand->get() == value)
      bytes += bytesRead(value, argument);
  return bytes;
}

int64_t stretto::codegen::bytesOfOperands(Operation *matmul) {
  return bytesOf(matmul->getOperand(0)) + bytesOf(matmul->getOperand(1));
}
