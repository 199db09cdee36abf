// How the rows of the flat arenas are shared out over the ranks of a run: bucket by bucket, each rank a part of each.
#pragma once

#include "runtime/core/flat_shard.h"
#include "runtime/dist/levels.h"

namespace stretto::runtime {

// Rows that are exchanged together, as their gradients become final together.
struct SharedBucket {
  int64_t number = 0; // of the bucket of the program after which it is final
  RowPart rows;       // with the room behind the last row there is
  RowPart own;
};

struct RowShares {
  std::vector<RankLevel> levels;
  std::vector<SharedBucket> buckets; // in the order in which their gradients become final
  FlatShard shard;                   // the own rows that there are

  int64_t largestBucket() const; // rows
};

// Each rank owns as many rows of a bucket as the others, in whole chunks of the optimizer's kernels; the last ones may
// be behind the last row. Buckets of the program end there by rows that wait for the later one. Throws SharedError
// where the program was compiled without ranges of chunks.
RowShares shareRows(const stretto_program &program, int rank, int ranks, int localRanks);

} // namespace stretto::runtime
