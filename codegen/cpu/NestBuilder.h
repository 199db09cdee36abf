//===- NestBuilder.h - the loops of one phase for a block of rows -------------===//
#pragma once

#include "codegen/cpu/RowEmitter.h"

namespace stretto::codegen {

/// Emits the loop nests of a phase for `rows` rows from `base`: stores, column sums and reductions.
///
/// With no rows it computes what the loops of the phase carry, for the block at `base`: the rows before the last.
///
/// With `prefetch` it asks for the operands and results of the next block while it computes this one: the blocks of a
/// kernel walk more rows at once than the hardware follows.
///
/// Sums have one association whatever the block: lane l of a reduction adds columns l, l + lanes, ...; the lanes are
/// added by halves; sections of a row are added in order. Column sums add row after row.
class NestBuilder {
public:
  NestBuilder(VectorBuilder &builder, const RowPlan &plan, const StoredValues &stored, const RowFrame &frame,
              mlir::Value base, int64_t rows, int64_t maxLanes, bool careful, bool prefetch = false)
      : b(builder), plan(plan), storedValues(stored), frame(frame), rows(rows), maxLanes(maxLanes), prefetch(prefetch),
        emitter(builder, plan, frame, base, careful) {}

  void emit(llvm::ArrayRef<Nest> nests);
  void assume(AssumedRows *assumed) { emitter.assume(assumed); }

private:
  using Sums = llvm::SmallVector<mlir::Value>; // one for each row

  void clearSlots(llvm::ArrayRef<Nest> nests);
  void emitNest(const Nest &nest);
  void emitHeads(const Nest &nest);
  void emitColumnLoop(const Nest &nest, const ColumnLoop &loop);
  void emitColumns(const Nest &nest, const ColumnLoop &loop, mlir::Value column, mlir::Value mask);
  void emitLongChains(const ColumnLoop &loop);
  void putStored(const ColumnLoop &loop);
  void prefetchNext(const ColumnLoop &loop);
  void emitRow(const ColumnLoop &loop, int64_t row, mlir::Value mask);
  void finish(const Section &section);

  const Root &rootOf(const Section &section) const { return plan.roots()[section.root]; }
  bool isReduce(const Section &section) const { return rootOf(section).kind == Root::reduce; }
  /// Whether the sums of a section run on through all heads of its nest.
  static bool isCarried(const Section &section) { return section.target.head == 0; }
  int64_t lanesFor(int64_t length) const;
  bool masksShortLoop(int64_t length, int64_t lanes) const;
  Sums startSums(const Section &section);

  VectorBuilder &b;
  const RowPlan &plan;
  const StoredValues &storedValues;
  const RowFrame &frame;
  int64_t rows, maxLanes;
  bool prefetch;
  RowEmitter emitter;
  int64_t lanes = 1;
  mlir::Block *here = nullptr;                // where the next loop over columns goes
  llvm::DenseMap<const Section *, Sums> sums; // of reductions one for each row, of column sums one
};

/// A loop `for (i = first; i < last; i += step)` over i64 whose body has no terminator yet.
mlir::Operation *makeLoop(VectorBuilder &b, mlir::Value first, mlir::Value last, int64_t step,
                          mlir::ValueRange carried = {});
/// Ends the body of `loop` and puts the builder behind it.
void closeLoop(VectorBuilder &b, mlir::Operation *loop, mlir::ValueRange carried = {});
/// Runs `emit` inside of a branch that is taken where the condition holds.
void emitIf(VectorBuilder &b, mlir::Value condition, llvm::function_ref<void()> emit);

} // namespace stretto::codegen
