//===- PartialKernels.h - kernels whose warps have roles, written by hand -------===//
#pragma once

#include <string>

namespace stretto::test {

/// a1[i] = sum over k < 5 of a0[32 k + 31 - i], 32 f32; warp 0 fills two stages of shared memory in turn, warp 1 reads
/// them. In the first one mbarriers say which stage is full or empty, in the second one named barriers (1, 2: full;
/// 3, 4: empty). Comments behind their operations: "// full", "// empty", "// filled", "// drained".
extern const std::string mbarrierRing, namedRing;

/// a0[i] = the phase that thread i's arrival belongs to, 64 i32, then what its waits returned: test_wait of that phase,
/// again after all have arrived (until true), then by parity. At the end the mbarrier's memory is used for something
/// else.
extern const std::string phases;

/// a0[i] = 1 where thread i, of 128, is the leader of its warp, else 0; the warpgroup sets its registers before.
extern const std::string leaders;

} // namespace stretto::test
