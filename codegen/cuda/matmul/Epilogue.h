//===- Epilogue.h - what the epilogue of a matmul does with its tiles --------------===//
//
// The rows of a tile are staged in shared memory, behind the last rows of the tile before, which taps still read. Each
// group of the epilogue walks a part of the rows whose neighbours are there, as a group of kern.rowwise walks a chunk
// (RowwiseBuilder.h): sums of columns stay in its registers until the run ends.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/RowwiseBuilder.h"
#include "codegen/cuda/matmul/MatmulTiling.h"
#include "codegen/rows/StripPlans.h"

namespace stretto::codegen {

/// The tiles of a run, in a strip.
struct MatmulItem {
  mlir::Value strip, run;
  mlir::Value first, last; // the rows of the run; the row behind them
  mlir::Value begin;       // the first row of the first tile
  mlir::Value tiles;       // how many there are
  mlir::Value turns;       // how many all blocks of the cluster go over: behind its own ones a block stores nothing
};

/// Of the shared memory of a block, beside that of the tiling: for the sums of all kinds of strips that threads share.
int64_t sumBytes(kern::MatmulOp op, const StripPlans &plans, const MatmulTiling &tiling);

class MatmulEpilogue {
public:
  /// `shared`: what the tiling has of shared memory, and what is free behind it.
  MatmulEpilogue(CudaBuilder &b, KernelFunction &function, kern::MatmulOp op, const MatmulTiling &tiling,
                 mlir::Value shared);

  /// Runs the code for the kind of strips that an item is of: `body` makes it for each kind, and says what comes of
  /// `carried`.
  using OfStrip = llvm::function_ref<Values(RowwiseBuilder &)>;
  Values forStrip(mlir::Value strip, mlir::Value thread, mlir::ValueRange carried, OfStrip body);

  /// Computes the epilogue of what is there with tile `number` of an item; returns the sums of columns with it. `loop`:
  /// over the tiles. `thread`: of those of the epilogue.
  Values walkTile(RowwiseBuilder &rows, const MatmulItem &item, mlir::Value number, mlir::Value thread,
                  mlir::ValueRange sums, mlir::Operation *loop);
  /// Keeps the last rows of the tile for the next one. All threads of the epilogue come by.
  void keepRows(mlir::Value thread);
  mlir::Value staging();
  /// A number below `end` once more: where registers are few, what follows from it does not stay in them while rows are
  /// walked. `step`: as of renewals (Renewals.h).
  mlir::Value renew(mlir::Value number, int64_t end, int64_t step = 0);
  mlir::Value groupOf(mlir::Value thread) { return b.divide(thread, tiling.groupThreads); }

private:
  struct Kind {
    const StripPlans::Run &run;
    RowWalk walk;
    int64_t sumsStart; // in shared memory
    Kind(const StripPlans::Run &run, kern::ThreadScheduleAttr schedule, int64_t sumsStart)
        : run(run), walk(run.plan, schedule), sumsStart(sumsStart) {}
  };

  mlir::Value sharedFrom(int64_t start) { return b.address(shared, b.getI8Type(), start); }
  mlir::Value waiting() { return sharedFrom(tiling.waitingStart()); }
  SharedRoom roomOf(mlir::Value thread);
  RowSpan spanOf(mlir::Value sequence, mlir::Value from, mlir::Value to);

  CudaBuilder &b;
  KernelFunction &function;
  const MatmulTiling &tiling;
  StripPlans plans;
  std::deque<Kind> kinds;
  mlir::Value shared;
  int64_t roomStart; // of what is free of shared memory
};

} // namespace stretto::codegen
