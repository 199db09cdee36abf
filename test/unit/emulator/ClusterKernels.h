//===- ClusterKernels.h - kernels whose blocks are in clusters, as text ---------------===//
#pragma once

#include <string>

namespace stretto::test {

/// A kernel as `kernel` of Kernels.h has it, in clusters of two blocks.
std::string clusterKernel(int blocks, int threads, const std::string &bufferBytes, int buffers, const std::string &body,
                          int dynamicShared = 0);

/// Each block has 64 numbers of a0 in @tile; a1 gets those of the other block of its cluster, the last one first.
/// Comments name what may be left out: "// stored", "// awaited", "// read", "// seen".
extern const std::string exchange;

/// Blocks of two warps, on f32 [16,32]. In two turns thread 0 of each of the two copies two rows into both, by its
/// number in the cluster, into 512 bytes of dynamic shared memory; the other warp adds up the four rows of its block's,
/// and its first thread tells both that they may be overwritten. a1 gets the sums of 8 rows, in each block the same.
/// From byte 512 on: the mbarriers full and empty. Comments: "// initialised", "// known", "// met", "// empty",
/// "// announced", "// filled", "// own", "// other", "// done", "// left".
extern const std::string multicastRing;

} // namespace stretto::test
