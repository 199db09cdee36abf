//===- RowwiseBuilder.h - the function of a kern.rowwise, part by part ---===//
#pragma once

#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/Prefetch.h"
#include "codegen/cuda/RollingRows.h"
#include "codegen/cuda/RowWalk.h"

namespace stretto::codegen {

/// Rows of a sequence: those from `first` on that lie before `last`.
struct RowSpan {
  mlir::Value sequence, first, last;
};

/// Rows of a strip that a matmul has computed: where the first row of all sequences would lie; elements from a row to
/// the next; the row behind the last one that is there.
struct StagedRows {
  mlir::Value pointer;
  int64_t rowElements;
  mlir::Value end;
};

/// Emits what one part of a kernel does.
class RowwiseBuilder {
public:
  RowwiseBuilder(CudaBuilder &b, KernelFunction &function, const RowWalk &walk, const RowPart &part);

  /// All of a kern.rowwise: the thread finds its chunk. `tile`: number of the block among those of the part that have
  /// the same chunks; `shared`: of the block, `dynamicSums` bytes for sums, where these are dynamic, and up to
  /// `mostAheadBytes` for what is ahead. Returns how many of the latter it wants.
  int64_t build(mlir::Value tile, mlir::Value shared, int64_t dynamicSums);

  // An epilogue, whose groups walk spans of rows as these are computed.

  /// In front of all spans. `thread`: of its group; `strip`: of those that the plan is for. Groups of several warps
  /// meet at barriers of their own; numbers that they share lie from `sharedSums` on, in shared memory, and what is on
  /// its way from memory may be in `room`, where nothing else is.
  void enterStrip(mlir::Value group, mlir::Value thread, mlir::Value strip, mlir::Value sharedSums, SharedRoom room);
  static constexpr int64_t firstGroupBarrier = 2; // by number; the first two are of more threads
  /// Sums of columns over no rows.
  Values emptySums();
  /// Walks a span and adds to sums of columns. `loop`: around all spans of the strip.
  Values walkSpan(RowSpan span, const StagedRows &staged, mlir::ValueRange sums, mlir::Operation *loop);
  /// Stores sums of columns as those of a chunk.
  void storeColumnSums(mlir::Value chunk, mlir::ValueRange sums);

private:
  /// A section at one position of its layout.
  struct Site {
    const Section *section;
    const ThreadLayout *layout;
    int64_t slot;
  };
  struct PendingStore {
    mlir::Value condition, value, address;
    int64_t alignment;
  };

  void findThread(mlir::Value tile);
  void prepare();
  mlir::Value takeShared(int64_t bytes);
  void readBuffers();
  void findPositions();
  llvm::SmallVector<Site> sitesOf(llvm::ArrayRef<Nest> nests, Root::Kind kind);
  const Position &enter(const Site &site);
  const Root &rootOf(const Section &section) const { return plan.roots()[section.root]; }
  seq::ReduceKind kindOf(const Section &section) const { return plan.kindOf(rootOf(section)); }
  mlir::Type elementOf(const Section &section) const { return getElementTypeOrSelf(rootOf(section).value.getType()); }

  void emitEarlyReductions();
  Values walkRows(mlir::ValueRange sums);
  Values emitSteps(mlir::ValueRange sums);
  bool splitsSteps() const;
  mlir::Value allSteps();
  mlir::Value sureSteps();
  Values emitLoop(mlir::Value begin, mlir::Value end, mlir::ValueRange carried, size_t rollingCount, bool isSure);
  llvm::SmallVector<mlir::Value> overwrittenBuffers();
  void loadEarly();
  void emitPhases();
  void emitPhase(const RowPhase &phase);
  void emitReductions(llvm::ArrayRef<Nest> nests, int64_t row);
  void addColumnSums(llvm::ArrayRef<Nest> nests, int64_t row);
  void collectStore(const Section &section, const ThreadLayout &layout, const Position &position, int64_t row);
  void flushStores();
  /// Whether a row of the step belongs to the chunk; null: always.
  mlir::Value isStored(int64_t row);
  /// The partial sums of the chunk of result `number`.
  mlir::Value sumsOfChunk(mlir::Value chunk, unsigned number);

  void forRolling(llvm::function_ref<void(const RollingValue &)> visit);
  mlir::SmallVector<mlir::Value> rollingRows(int64_t shift);
  void rememberRolling(mlir::ValueRange values);

  // Rows wider than registers (WideRows.cpp): threads visit their columns in loops, sums of columns are in global
  // memory.
  struct WideSum {
    const Section *section;
    int64_t row;
  };
  llvm::SmallVector<const Section *> sumsFor(unsigned result) const;
  void clearWideSums();
  void emitWide(llvm::ArrayRef<Nest> nests, llvm::ArrayRef<int64_t> rows);
  void emitWideLoop(Domain domain, llvm::ArrayRef<Section> sections, llvm::ArrayRef<int64_t> rows);
  Values emitWideColumns(const ThreadLayout &layout, const Position &position, llvm::ArrayRef<Section> sections,
                         llvm::ArrayRef<int64_t> rows, llvm::ArrayRef<WideSum> reduced, mlir::ValueRange now);
  void addWideSum(const Section &section, const ThreadLayout &layout, const Position &position,
                  llvm::ArrayRef<int64_t> rows);
  void leaveWide(llvm::ArrayRef<WideSum> reduced, mlir::ValueRange values, const ThreadLayout &layout,
                 const Position &position);

  CudaBuilder &b;
  KernelFunction &function;
  const RowWalk &walk;
  const RowPart &part;
  kern::RowKernel op;
  const RowPlan &plan;
  GroupBarrier barrier;
  GroupReductions reductions;
  ThreadEmitter emitter;

  mlir::Value thread, tileThread, group, live; // of its group; of all tiles; null live: each chunk exists
  mlir::Value strip;                           // null: the plan is for whole rows
  mlir::Value sharedSums;                      // null: in the scratch of the kernel
  int64_t sharedTaken = 0;                     // bytes of them
  mlir::Value chunk;                           // of a kern.rowwise
  mlir::Value sequence, first, last;           // what is walked now
  StagedRows staged = {};                      // the rows of a matmul
  SharedRoom room;
  int64_t wantedRoom = 0;                // bytes of it
  mlir::Operation *outermost = nullptr;  // the loop around all spans, if there are several
  bool stepsAreSure = false;             // to lie in their chunk with all rows
  std::map<int64_t, Position> positions; // by number
  llvm::SmallVector<RollingValue> rolling;
  llvm::SmallVector<Site> sumSites;
  llvm::SmallVector<mlir::Value> sums; // of sumSites
  llvm::SmallVector<PendingStore> stores;
};

} // namespace stretto::codegen
