// The ranks of a run: processes that train one model together, each with one device. A run of one rank has a Ranks, too,
// which opens no socket and starts no thread.
#pragma once

#include "runtime/dist/group.h"

#include <memory>

namespace stretto::runtime {

struct Launch;

class Ranks {
public:
  // Alone.
  Ranks();
  // Joins the others of a launch (runtime/dist/launch.h); returns when all have come. Throws Error.
  explicit Ranks(const Launch &launch);
  ~Ranks();
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  int rank() const { return ownRank; }
  int size() const { return count; }
  bool isFirst() const { return ownRank == 0; }
  int localRank() const { return ownLocalRank; } // among those of this host
  int localSize() const { return localCount; }

  // All ranks, over host memory: for the thread that trains, and for the one that prepares data ahead.
  Group &control() { return *controlGroup; }
  Group &ahead() { return *aheadGroup; }

  // Over host memory, for gradients and weights: level by level, groups of neighbours. A level of one member is left out.
  // The groups of a level have at most 8 members but for the last, which has what is left.
  const std::vector<std::unique_ptr<Group>> &levels() const { return levelGroups; }

private:
  int ownRank = 0, count = 1, ownLocalRank = 0, localCount = 1;
  std::unique_ptr<Group> controlGroup, aheadGroup;
  std::vector<std::unique_ptr<Group>> levelGroups;
};

} // namespace stretto::runtime
