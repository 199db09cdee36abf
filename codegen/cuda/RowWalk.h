//===- RowWalk.h - how a rowwise kernel is laid out over blocks and threads ===//
#pragma once

#include "codegen/cuda/ColumnSums.h"
#include "codegen/cuda/GroupReductions.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/ThreadEmitter.h"

namespace stretto::codegen {

/// Registers of 32 bits that the columns of one value may take in a thread.
inline constexpr int64_t mostColumnRegisters = 64;

/// Shared memory of a block, at most: for sums of rows and columns, as far as the rows of a chunk can be chosen so, and
/// for rows that are ahead.
inline constexpr int64_t mostSharedBytes = 48 << 10, mostAheadBytes = mostShared - mostSharedBytes;

/// Blocks of so many threads whose registers a multiprocessor has together, each with more than ptxas would take by
/// itself: it likes to stay below what one more block needs, and lets loads wait for each other. Registers come for
/// four warps at a time.
inline int64_t residentRowBlocks(int64_t threads) {
  int64_t warps = llvm::divideCeil(threads, warpThreads);
  return std::max<int64_t>(1, (16 % warps == 0 ? 16 : 12) / warps);
}

/// Sections that share nothing with those of other parts: thread blocks of their own compute them, `tiles` for each
/// chunk.
class RowPart {
public:
  RowPart(const RowPlan &plan, llvm::SmallVector<RowPhase, 0> phases, kern::ThreadScheduleAttr schedule, bool mayTile);

  llvm::SmallVector<RowPhase, 0> phases;
  int64_t tiles = 1;
  int64_t threads; // of all tiles together
  bool reduces;    // whether it sums along rows, so that the threads of a group meet
  bool isWide;     // whether a thread has more columns than registers: it visits them in loops
  bool sharesSums; // whether a column of some sum has several terms from one row

  /// Of 32 bits, that the columns of a value take in a thread at most.
  int64_t columnRegisters(kern::RowKernel op) const;
  const ThreadLayout &layoutOf(Domain domain) const { return layouts.at({domain.heads, domain.length}); }
  /// A number for each position of a layout: this one and those behind it.
  int64_t positionNumber(Domain domain) const { return numbers.at({domain.heads, domain.length}); }

private:
  using DomainKey = std::pair<int64_t, int64_t>;
  void addLayouts(const RowPlan &plan, int64_t lanes);

  std::map<DomainKey, ThreadLayout> layouts;
  std::map<DomainKey, int64_t> numbers;
};

/// What follows from the plan of an operation and its schedule alone, before any code exists.
class RowWalk {
public:
  /// Of a kernel with a schedule of threads: each group walks a chunk of a sequence.
  explicit RowWalk(const RowPlan &plan);
  /// Of an epilogue: each group walks a chunk of rows of a strip at most, wherever they begin and end.
  RowWalk(const RowPlan &plan, kern::ThreadScheduleAttr schedule);

  const RowPlan &plan;
  kern::RowKernel op;
  kern::ThreadScheduleAttr schedule;
  int64_t batch, time;
  int64_t steps;       // of a chunk
  bool isRagged;       // whether a step may hold rows behind the end of its chunk
  bool isOfSpans;      // whether how many steps there are is known as the kernel runs
  int64_t firstUnsure; // rows of a step from this one on may lie behind the end of the sequence
  std::vector<RowPart> parts;

  int64_t chunkRows() const { return schedule.getChunk(); }
  /// Whether rows come through shared memory.
  bool copies() const { return schedule.getPlaces() > 1; }
  /// Steps of the last chunk of a sequence all of whose rows, and rows that these look ahead at, are in the sequence;
  /// of spans those of most.
  int64_t leastSureSteps() const;
  int64_t rowsWalked() const { return steps * schedule.getRows(); }
  int64_t tiles() const;
  /// Of 32 bits, that the columns of a value take in a thread at most.
  int64_t columnRegisters() const;
  /// Of the shared memory of a block, for sums along rows, and of columns to which several elements of a row add; of
  /// the part that takes most, as each has blocks of its own.
  int64_t sumBytes(CudaBuilder &b) const;
  /// The same where it is dynamic: static memory is too small. Else 0.
  int64_t dynamicSumBytes(CudaBuilder &b) const;

private:
  int64_t reductionBytes(CudaBuilder &b, const RowPart &part) const;
  int64_t columnSumBytes(const RowPart &part) const;
};

/// Whether the columns of sections may be shared out over several thread blocks: nothing is summed along the row, and
/// each column of a sum has one term from it.
bool mayTile(const RowPlan &plan, llvm::ArrayRef<RowPhase> phases);

/// The plan of a kernel that has a schedule. With one row to a step, what is reduced from reductions waits at a barrier
/// for each of them; stages are staggered there, so that one barrier serves all and the next row is on its way from
/// memory, if a thread has registers for the columns of two rows and a chunk a few rows.
RowPlan planScheduled(kern::RowKernel op);

/// The sections of some phases that `choose` takes, in the same loops.
llvm::SmallVector<RowPhase, 0> phasesOf(llvm::ArrayRef<RowPhase> phases,
                                        llvm::function_ref<bool(const Section &)> choose);

/// The phases of a plan, taken apart into sections that share no value of a row; narrow ones are together.
std::vector<llvm::SmallVector<RowPhase, 0>> splitSections(const RowPlan &plan);

} // namespace stretto::codegen
