//===- SlotAssigner.h - which values share memory -----------------------------------===//
#pragma once

#include "codegen/memory/Storage.h"
#include "codegen/memory/Timeline.h"
#include "passes/support/ParameterLayout.h"

#include "llvm/ADT/StringMap.h"

namespace stretto::codegen {

/// Constant tables of a program, equal ones once, in the TABLES arena.
class TableLayout {
public:
  /// Byte offset of a table; the same for tables that hold the same numbers.
  int64_t offsetOf(mlir::Operation *table, int64_t bytes);
  int64_t bytes() const { return end; }

private:
  llvm::SmallVector<std::pair<mlir::Attribute, int64_t>> known;
  int64_t end = 0;
};

/// Replaces the use by a copy of its value.
mlir::Value insertCopy(mlir::OpOperand &use);

/// Decides for one entry point which values are views of others, which are computed straight into their final slot
/// (gradients, outputs, stacks, carried values, columns of a concatenation), and which share memory with the value
/// they are made from. Goes backwards, so that the demands on a value are known when it is reached. Where two demands
/// contradict each other a `kern.copy` is inserted.
class SlotAssigner {
public:
  SlotAssigner(mlir::ModuleOp module, passes::ParameterLayout &parameters, TableLayout &tables)
      : module(module), parameters(parameters), tables(tables) {}

  /// Places all values of an entry function, whose arguments and results carry `kern.slot`, and of the bodies it
  /// calls. Emits an error where that is impossible.
  mlir::LogicalResult run(mlir::func::FuncOp entry);

  Ref refOf(mlir::Value value);
  Storage &getStorage() { return storage; }

private:
  struct Carry; // one carried value of a scan, in AssignScanSlots.cpp

  mlir::LogicalResult assignBlock(mlir::Block &block);
  mlir::LogicalResult assignOperation(mlir::Operation *op);
  mlir::LogicalResult assignReturn(mlir::func::FuncOp function, mlir::Operation *end);
  mlir::LogicalResult assignScan(seq::ScanOp scan);
  mlir::LogicalResult assignRowwise(kern::RowwiseOp op);
  void assignGradient(seq::GradientOp op);
  void assignPieces(seq::AliasOp op);
  void assignAccumulator(mlir::Operation *op, mlir::OpOperand &use);
  void assignResidual(mlir::Operation *op, mlir::OpOperand &use);

  void bindArguments(seq::ScanOp scan, mlir::func::FuncOp body);
  llvm::SmallVector<unsigned> openStacksOf(seq::ScanOp scan, mlir::Operation *end, mlir::Value value);
  void assignStackedCarry(seq::ScanOp scan, Carry &carry);
  void assignStacks(seq::ScanOp scan, mlir::func::FuncOp body);
  void startCarry(seq::ScanOp scan, Carry &carry);
  void finishCarry(seq::ScanOp scan, mlir::func::FuncOp body, Carry &carry);
  bool needsTwoBuffers(mlir::func::FuncOp body, Carry &carry);
  void aliasResult(mlir::OpResult result, const Ref &ref);

  /// Has the value of `use` computed at `ref`, or copied there before the owner runs.
  void demand(mlir::OpOperand &use, const Ref &ref, bool rowStrided = false);
  bool tryAssign(mlir::Value value, const Ref &ref, bool rowStrided);
  bool tryShare(mlir::OpOperand &use, mlir::Value result);
  Ref makeRef(mlir::Value value);
  int64_t leadOf(mlir::OpResult stack, seq::ScanOp scan);
  bool hasGaps(mlir::Value stack);
  bool sameSlot(mlir::Value a, mlir::Value b);

  mlir::ModuleOp module;
  passes::ParameterLayout &parameters;
  TableLayout &tables;
  Storage storage;
  llvm::DenseMap<mlir::Value, Ref> refs;
  /// Carried arguments of the bodies in work that have memory of their own, with the values returned for them.
  llvm::DenseMap<mlir::Value, mlir::Value> carried;
};

} // namespace stretto::codegen
