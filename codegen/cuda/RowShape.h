//===- RowShape.h - what the schedule of a rowwise kernel follows from ------===//
#pragma once

#include "codegen/cuda/EstimatedGpu.h"
#include "codegen/cuda/RegisterEstimate.h"
#include "codegen/cuda/ThreadLayout.h"

namespace stretto::codegen {

inline constexpr int64_t blockThreads = 128; // of a block, which narrow groups share

/// What a thread does for one part of a row.
struct PartShape {
  /// Of one length, and as many heads.
  struct Loops {
    Domain domain;
    bool perHead; // whether each head is summed by itself
    HeldValues held;
  };
  llvm::SmallVector<Loops, 0> loops;
  bool mayTile = false; // whether several thread blocks may share its columns
  bool reduces = false; // whether it sums along rows, so that threads wait for each other in each step

  /// Threads that its widest loop keeps busy.
  int64_t vectors(int64_t lanes) const;
};

/// How a thread computes a row: `lanes` columns of a vector, `threads` that share a row, `rows` of a step, which come
/// through so many `places` in shared memory; one: to registers.
struct RowSharing {
  int64_t lanes, threads, rows = 1, places = 1;
  bool copies() const { return places > 1; }
};

class RowShape {
public:
  /// `apart`: whether sections that share no value of a row have thread blocks of their own.
  RowShape(const RowPlan &plan, bool apart);

  int64_t batch, time;
  int64_t narrowest = 8; // bytes of the narrowest real that is loaded or stored
  int64_t streamed = 0;  // of the widest whose rows come from memory or go there; tables come from caches
  int64_t widest = 4;    // bytes of the widest number in a register
  int64_t rowBytes = 0, sumBytes = 0;
  int64_t halo = 0;             // rows beside a chunk that are walked for its taps
  int64_t reach = INT64_MAX;    // rows over which values wait for taps
  bool loadsAgain = false;      // whether rows further away are loaded for each row that taps them
  std::vector<PartShape> parts; // that can have thread blocks of their own

  /// Whether no thread needs data of another one.
  bool mayTile() const {
    return llvm::all_of(parts, [](const PartShape &part) { return part.mayTile; });
  }
  /// Whether threads wait for each other in each step.
  bool reduces() const {
    return llvm::any_of(parts, [](const PartShape &part) { return part.reduces; });
  }
  /// Thread blocks that share a row.
  int64_t tiles(RowSharing sharing) const;
  /// Of a thread of the part that takes most.
  int64_t registers(RowSharing sharing) const;
  /// How long a multiprocessor takes for a row, all its blocks together: in steps of a part that waits for its loads.
  double stepsOfRow(RowSharing sharing, int64_t block) const;
  /// Of a step, that a thread of that part brings anew from memory.
  int64_t loadedBytes(RowSharing sharing) const;
  /// The same, with what comes from caches.
  int64_t fetchedBytes(RowSharing sharing) const;
  /// Numbers of rows in front of a step that a thread of that part reads again.
  int64_t rolling(RowSharing sharing) const;
  /// The most rows for which a value of that part waits in registers.
  int64_t longest(RowSharing sharing) const;

private:
  int64_t bytesOfStep(RowSharing sharing, int64_t HeldValues::*bytes) const;
  void measureRows(kern::RowKernel op);
  void measureTaps(RowRange all);
  void measureParts(const RowPlan &plan, bool apart);
  void addLoops(PartShape &part, const RowPlan &plan, llvm::ArrayRef<RowPhase> phases);
  static int64_t tiles(const PartShape &part, RowSharing sharing);
  int64_t columns(const PartShape &part, const PartShape::Loops &loops, RowSharing sharing) const;
  int64_t registers(const PartShape &part, RowSharing sharing) const;
  const PartShape &largest(RowSharing sharing) const;
};

} // namespace stretto::codegen
