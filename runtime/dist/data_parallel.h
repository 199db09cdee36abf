// A step shared out over the ranks of a run: each computes the gradients of its virtual ranks, owns a part of the
// optimizer's state and applies the gradients of that part.
#pragma once

#include "runtime/dist/exchange.h"
#include "runtime/dist/ranks.h"
#include "runtime/dist/virtual_sum.h"

#include <functional>
#include <optional>

namespace stretto::runtime {

// How many virtual ranks each of the ranks has. Throws a SharedError where they cannot share them so that the bits do
// not depend on how many ranks there are.
int64_t shareVirtualRanks(int64_t virtualRanks, int64_t ranks);

class DataParallel {
public:
  // `virtualRanks`: of all ranks. Throws as shareVirtualRanks and shareRows do.
  DataParallel(Ranks &ranks, const stretto_program &program, int64_t virtualRanks);

  // Takes its memory; `arenas` are those of the shard.
  void begin(Device &device, const Arenas &arenas);
  // How many bytes that is, and how many Gloo takes besides as it gathers.
  int64_t bytes() const;
  int64_t carrierBytes() const { return Exchange::stagingBytes(program, rowShares); }

  Ranks &ranks() const { return members; }
  const RowShares &shares() const { return rowShares; }
  int64_t virtualRanks() const { return ownVirtual; } // of this rank
  int64_t firstVirtualRank() const { return ownVirtual * members.rank(); }
  // Whether a step is that of one rank alone.
  bool isAlone() const { return members.size() == 1 && ownVirtual == 1; }

  // Whether ranks exchange: then the gradients of the last micro-batch of a step go through `sumLast`.
  bool exchanges() const { return exchange.has_value(); }

  // GRADIENTS have what own virtual rank `number` computed (VirtualSum::add).
  void addVirtualRank(int64_t number);
  // Calls `compute`, which makes the gradients of the last micro-batch and tells how many buckets of the program are
  // final as it goes. The own rows of GRADIENTS become the sum over all ranks. `accumulated`: what earlier
  // micro-batches of the same virtual rank added up, or null; it is taken.
  void sumLast(const std::function<void(const std::function<void(int64_t)> &)> &compute, void *accumulated);
  // See Exchange.
  void gatherSquares();
  void startParameters(const std::function<void(const RowRange &rows, SideStream &)> &then);
  void awaitParameters(int64_t buckets);
  void finishParameters();

  // Seconds in all that this rank has waited for exchanges with nothing else to do.
  double exchangeSeconds() const { return exchanged; }

  // The numbers of all virtual ranks, in their order, of those of this rank.
  std::vector<double> gather(const std::vector<double> &own);

private:
  Ranks &members;
  const stretto_program &program;
  int64_t ownVirtual;
  RowShares rowShares;
  std::optional<VirtualSum> virtualSum;
  std::optional<Exchange> exchange;
  double exchanged = 0;
};

} // namespace stretto::runtime
