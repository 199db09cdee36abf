//===- EpilogueCost.h - how threads share the epilogue of a matmul ------------------===//
#pragma once

#include "codegen/cuda/RegisterEstimate.h"
#include "codegen/rows/ScheduleOverrides.h"
#include "codegen/rows/StripPlans.h"

namespace stretto::codegen {

/// How a group of threads shares the columns of a strip, and what that takes.
struct EpilogueLayout {
  int64_t threads, rows, lanes;
  double instructions;  // of a thread for a row
  int64_t registers;    // of a thread, without those of tables
  int64_t tables;       // registers of the tables of a step, if all are loaded at once
  int64_t fetched;      // bytes of a thread for a row, of rows and tables in memory
  int64_t sumBytes = 0; // of a block's shared memory, for sums that threads share, once that is known
};

/// What the epilogue of a matmul takes on some strips: estimates from its body.
class EpilogueCost {
public:
  /// `given`: numbers of layouts that stay.
  EpilogueCost(kern::MatmulOp op, const StripPlans &plans, const ScheduleOverride &given);

  /// The layout that takes the fewest `cycles`, of all that `warps` warps can have and for which registers suffice; of
  /// several such, as where something else takes longer, the one with the fewest instructions. Where there is none, the
  /// one that takes the fewest registers.
  EpilogueLayout choose(int64_t warps, llvm::function_ref<bool(const EpilogueLayout &)> fits,
                        llvm::function_ref<double(const EpilogueLayout &)> cycles) const;

private:
  /// Loops over columns of one form, in strips that one code computes.
  struct Loops {
    Domain domain;
    HeldValues held;
  };
  struct Kind {
    std::vector<Loops> loops;
    bool reduces;
  };
  void layOutAll(const ScheduleOverride &given);
  EpilogueLayout layOut(int64_t threads, int64_t rows, int64_t lanes) const;

  std::vector<Kind> kinds;
  std::vector<EpilogueLayout> layouts;
  double computed, moved; // instructions that compute a row of a strip, and numbers of it that are loaded or stored
};

} // namespace stretto::codegen
