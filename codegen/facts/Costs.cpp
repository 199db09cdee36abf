//===- Costs.cpp - what operations cost -----------------------------------===//
#include "codegen/facts/Costs.h"

#include "ir/kern/Flops.h"
#include "ir/seq/Marks.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/ParameterLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

seq::MatmulKind stretto::codegen::matmulKind(Operation *op) {
  auto library = dyn_cast<seq::LibraryOp>(op);
  seq::MatmulKind kind = library ? library.getMatmulKind() : seq::MatmulKind::none;
  bool isBackward = kind == seq::MatmulKind::forward && op->hasAttr(kRepeatedAttr);
  return isBackward ? seq::MatmulKind::backward : kind;
}

double stretto::codegen::matmulFlops(Operation *op) {
  return matmulKind(op) == seq::MatmulKind::none ? 0 : cast<seq::LibraryOp>(op).getFlops();
}

/// A matmul with an epilogue is both a library operation and a kernel of rows.
static double flopsOf(Operation *op) {
  double flops = 0;
  if (auto library = dyn_cast<seq::LibraryOp>(op))
    flops += library.getFlops();
  if (auto kernel = dyn_cast<kern::RowKernel>(op)) {
    auto [batch, time] = kernel.getRows();
    flops += kern::flopsOf(kernel.getBody().front()) * static_cast<double>(batch * time);
  }
  return flops;
}

Cost stretto::codegen::costOf(Operation *op) {
  if (isa<seq::AliasOp, seq::ScanOp, arith::ConstantOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return {};
  Cost cost{flopsOf(op), 0};
  auto library = dyn_cast<seq::LibraryOp>(op);
  for (OpOperand &operand : op->getOpOperands())
    cost.bytes += library ? library.getBytesRead(operand.getOperandNumber()) : bytesOf(operand.get());
  for (Value value : op->getResults())
    cost.bytes += bytesOf(value);
  return cost;
}

int64_t stretto::codegen::chunkRowsOf(Operation *op, func::FuncOp entry) {
  auto kernel = dyn_cast<kern::RowKernel>(op);
  if (!kernel || !isEntry(entry, seq::EntryKind::optimizer) || !kernel.getSchedule() || kernel.getRows().first != 1)
    return 0;
  bool hasSum = llvm::any_of(llvm::seq(op->getNumResults()), [&](unsigned i) { return kernel.isColumnSum(i); });
  return hasSum ? 0 : kernel.getSchedule()->getLaunchRows();
}
