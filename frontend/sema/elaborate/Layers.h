// Which layers of a repeat can share one loop.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace stretto::frontend {

/// Layers first .. first + period * count - 1, where layer i equals layer i + period.
struct LayerRun {
  int64_t first = 0, period = 1, count = 1;
};

/// Divides layers, given by their kinds, into runs so that as few bodies as possible are written (the sum of
/// the periods), then with as few runs as possible. Layers m m m a m m m a are one run of period 4; m m m a a
/// two runs of period 1.
std::vector<LayerRun> findLayerRuns(llvm::ArrayRef<unsigned> kinds);

} // namespace stretto::frontend
