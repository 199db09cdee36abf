// Sums gradients over ranks, and hands out what each of them computes from its rows. Groups carry bytes, kernels add in
// one order (runtime/dist/levels.h), so that the bits are those of one rank that does all of it.
#pragma once

#include "runtime/core/arenas.h"
#include "runtime/dist/group.h"
#include "runtime/dist/levels.h"

#include <memory>
#include <span>

namespace stretto::runtime {

// How the rows of the flat arenas are shared out over ranks.
struct RowShares {
  std::vector<RankLevel> levels;
  RowPart own;     // with the room behind the last row
  FlatShard shard; // what of it there is
};

// Each rank owns as many rows as the others, in whole chunks of the optimizer's kernels; the last ones may be behind
// the last row. Throws Error where the program was compiled without ranges of chunks.
RowShares shareRows(const stretto_program &program, int rank, int ranks, int localRanks);

class Exchange {
public:
  // `groups`: one for each level, of memory that the device reads.
  Exchange(const stretto_program &program, Device &device, const Arenas &arenas, const RowShares &shares,
           std::span<const std::unique_ptr<Group>> groups);
  ~Exchange();
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;

  // The own rows of GRADIENTS become the sum over all ranks; the other rows mean nothing afterwards. Waits.
  void sumGradients();
  // A flat arena (SQUARES, GRADIENTS, PARAMETERS: the trainable part) becomes whole on all ranks, each row from its
  // owner. Waits.
  void gather(stretto_arena arena);

  // Bytes of the device that it takes besides the arenas.
  static int64_t stagingBytes(const stretto_program &program, const RowShares &shares);

private:
  void addParts(RowPart part, int parts, int own);

  const stretto_program &program;
  Device &device;
  const Arenas &arenas;
  const RowShares &shares;
  std::span<const std::unique_ptr<Group>> groups;
  char *staging = nullptr; // what came from others
};

} // namespace stretto::runtime
