//===- WalkBuilder.h - writing a tile program -----------------------------------===//
#pragma once

#include "codegen/mixers/MixerShape.h"
#include "ir/kern/KernOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::codegen {

/// A kern.walk while it is written: first its inputs, then what it carries, then (with the builder in the body) its
/// operations, results and what goes on.
class WalkBuilder {
public:
  /// Stands at the place of the walk until `body`.
  WalkBuilder(mlir::ImplicitLocOpBuilder &b, const MixerShape &shape);

  /// Tiles of a value that is cut into `parts`; null for null. One with a row for each token, or one row for all.
  mlir::Value columns(mlir::Value value, int64_t parts);
  /// The same where a part is one column, as a number for each row of the tile.
  mlir::Value numbers(mlir::Value value, int64_t parts);
  /// Of states, one for each `every` chunks.
  mlir::Value states(mlir::Value value, int64_t every);
  /// Of states that `parts` programs have stored, one for each chunk.
  mlir::Value entries(mlir::Value value, int64_t parts, int64_t width, llvm::ArrayRef<int64_t> tile);

  /// A tile of a state that goes from chunk to chunk; `initial`: states, one for each `every` chunks, or null.
  mlir::Value carry(mlir::Type element, mlir::Value initial = {}, int64_t every = 1);
  /// Other numbers that go from chunk to chunk, at first zero.
  mlir::Value carryTile(llvm::ArrayRef<int64_t> tile);

  /// Results as values of the program: rows of as many columns in each of `parts`, or states.
  void storeRows(mlir::Value tile, mlir::Type element, int64_t parts, int64_t width);
  void storeStates(mlir::Value tile, mlir::Type element, int64_t every);
  /// What each span leaves behind it, of a state or of a list of its rows. A walk in reverse ends at the first chunk.
  void storeEnds(mlir::Value tile, bool reverse);

  /// What goes on to the next chunk ends the body.
  kern::WalkOp finish(mlir::ValueRange carried, int64_t span, bool reverse, bool gradient);

private:
  mlir::Value argument(mlir::Value value, kern::WindowAttr window, llvm::ArrayRef<int64_t> tile);
  mlir::Value tile(mlir::Value value, int64_t parts, llvm::ArrayRef<int64_t> columns);
  kern::WindowAttr window(kern::WindowKind kind, int64_t parts, int64_t width = 0, int64_t every = 1);
  void store(mlir::Value tile, mlir::RankedTensorType type, kern::WindowAttr window);

  mlir::ImplicitLocOpBuilder &b;
  const MixerShape &shape;
  mlir::Region region;
  mlir::Block *body;
  mlir::OpBuilder::InsertPoint place;
  llvm::SmallVector<mlir::Value> inputs, initial, stored;
  llvm::SmallVector<mlir::Attribute> windows, resultWindows;
  llvm::SmallVector<mlir::Type> results;
};

} // namespace stretto::codegen
