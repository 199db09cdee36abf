//===- RowWalk.h - how a rowwise kernel is laid out over blocks and threads -----===//
#pragma once

#include "codegen/cuda/ColumnSums.h"
#include "codegen/cuda/TeamReductions.h"
#include "codegen/cuda/ThreadEmitter.h"

namespace stretto {

/// What follows from an operation and its schedule alone, before any code exists.
class RowWalk {
public:
  explicit RowWalk(kern::RowwiseOp op);

  kern::RowwiseOp op;
  kern::ScheduleAttr schedule;
  RowPlan plan;
  int64_t batch, time;
  int64_t threads;     // of all strips of a team together
  int64_t steps;       // of a chunk
  bool isRagged;       // whether a step may hold rows behind the end of its chunk
  int64_t firstUnsure; // rows of a step from this one on may lie behind the end of the sequence
  bool isWide;         // whether a thread has more columns than registers: it visits them in loops

  int64_t chunkRows() const { return schedule.getChunk(); }
  int64_t rowsWalked() const { return steps * schedule.getRows(); }
  const ThreadLayout &layoutOf(Domain domain) const { return layouts.at({domain.heads, domain.length}); }
  /// A number for each position of a layout: this one and those behind it.
  int64_t positionNumber(Domain domain) const { return numbers.at({domain.heads, domain.length}); }
  int64_t numberBytes() const; // of the widest real

private:
  using DomainKey = std::pair<int64_t, int64_t>;
  void addLayouts();

  std::map<DomainKey, ThreadLayout> layouts;
  std::map<DomainKey, int64_t> numbers;
};

/// Registers of 32 bits that the columns of one value may take in a thread.
inline constexpr int64_t mostColumnRegisters = 64;

/// Shared memory of a block, at most.
inline constexpr int64_t mostSharedBytes = 48 << 10;

/// Columns that a vector must have: neighbours that change places lie in one.
int64_t leastLanes(kern::RowwiseOp op);

/// Calls `visit` for each piece of a plan.
void forEachPiece(const RowPlan &plan, llvm::function_ref<void(const Phase &, const Nest &, const Piece &)> visit);

} // namespace stretto
