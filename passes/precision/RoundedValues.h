//===- RoundedValues.h - which values between kernels are rounded -------------===//
#pragma once

#include "passes/precision/Passes.h"

namespace stretto::passes {

/// Decides for the values of the functions of a module (not of the bodies of kernels) whether they are held in bf16.
///
/// Values that are views of each other, or that a scan passes on, are decided together. Matmuls, attention and
/// embeddings say what must be rounded, as do the rows of kernels; parameters and all that is computed from them alone,
/// sums over rows, tables and their rows, one number per row or head, and logits are not rounded.
class RoundedValues {
public:
  explicit RoundedValues(mlir::ModuleOp module);

  /// Constants are no members: they have the type their reader wants.
  bool contains(mlir::Value value);
  /// Whether `value` is the matmul that a loss is computed from.
  bool isLogits(mlir::Value value) { return marksOf(value) & Logits; }
  /// Whether kernels take sines or cosines of `value`, or of sums and multiples of it.
  bool isAngle(mlir::Value value) { return marksOf(value) & Angle; }
  /// Whether two values are decided together.
  bool areOne(mlir::Value a, mlir::Value b) { return find(a) == find(b); }

private:
  enum Mark : unsigned {
    Shared = 1,  // the same for every row, or a gradient of that
    Operand = 2, // of a matmul, attention or the gradient of an embedding: must be rounded
    Columns = 4, // a row of columns for some kernel, or a matmul
    Number = 8,  // one number per row or head
    Matmul = 16,
    Logits = 32,
    Table = 64,   // rows that stay exact, such as those of a table
    Angle = 128,  // sines or cosines are taken of it
    Summed = 256, // an angle that is a sum over tokens
  };

  static bool decide(unsigned marks) {
    bool isExact = (marks & (Number | Logits | Table)) || ((marks & Angle) && (marks & Summed));
    return !(marks & Shared) && ((marks & Operand) || ((marks & Columns) && !isExact));
  }

  unsigned find(mlir::Value value);
  void join(mlir::Value a, mlir::Value b);
  bool mark(mlir::Value value, unsigned marks);
  void mark(mlir::ValueRange values, unsigned marks);
  unsigned marksOf(mlir::Value value);

  void joinStructure(mlir::Operation *op, mlir::SymbolTable &symbols);
  void joinScan(seq::ScanOp scan, mlir::func::FuncOp body);
  void markByDefinition(mlir::Operation *op);
  void markLibrary(seq::LibraryOp op);
  void markKernel(kern::RowwiseOp op);
  void markLogits(kern::RowwiseOp op);
  bool spreadKernel(kern::RowwiseOp op);
  bool spreadAngles(kern::RowwiseOp op);
  unsigned markInBody(kern::RowwiseOp op, mlir::Value value, llvm::DenseMap<mlir::Value, unsigned> &known);

  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::SmallVector<unsigned> parents, marks;
  llvm::DenseMap<mlir::Attribute, mlir::Value> caches; // by name
};

} // namespace stretto::passes
