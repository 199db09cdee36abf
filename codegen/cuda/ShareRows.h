//===- ShareRows.h - how the threads of a GPU share the rows of a kernel ------===//
#pragma once

#include "codegen/cuda/RowShape.h"

namespace stretto::codegen {

inline constexpr int64_t spareRegisters = 12; // by which an estimate may be too low

/// What a user gives of a sharing; 0: to be chosen.
struct GivenSharing {
  int64_t lanes = 0, threads = 0, rows = 0, places = 0;
};

/// Chooses lanes, threads, rows of a step and places of a kernel on so many multiprocessors, of which a block may have
/// so much shared memory.
class SharingChooser {
public:
  /// `leastLanes`: that a vector must have.
  SharingChooser(const RowShape &shape, const GivenSharing &given, int64_t leastLanes, int64_t processors,
                 int64_t sharedOfBlock)
      : shape(shape), given(given), leastLanes(leastLanes), processors(processors), sharedOfBlock(sharedOfBlock) {}

  RowSharing choose() const;

private:
  RowSharing withLanes(int64_t lanes) const;
  RowSharing throughRegisters() const;
  RowSharing throughPlaces(RowSharing otherwise) const;
  int64_t widestVector() const;
  int64_t groupFor(int64_t lanes) const;
  int64_t rowsFor(RowSharing sharing) const;
  double bytesOnTheirWay(RowSharing sharing) const;
  bool areEnough(RowSharing sharing, double bytes) const;
  double wantedRate(RowSharing sharing) const;
  bool wantsPlaces(RowSharing sharing) const;
  bool fitsPlaces(RowSharing sharing) const;
  bool fillsChunks(RowSharing sharing, int64_t steps) const;

  const RowShape &shape;
  GivenSharing given;
  int64_t leastLanes, processors, sharedOfBlock;
};

} // namespace stretto::codegen
