// A step shared out over the ranks of a run: each computes the gradients of its virtual ranks, owns a part of the
// optimizer's state and applies the gradients of that part.
#pragma once

#include "runtime/dist/exchange.h"
#include "runtime/dist/ranks.h"
#include "runtime/dist/virtual_sum.h"

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

  // See VirtualSum::add and Exchange; nothing where there is nothing to add or to hand out.
  void addVirtualRank(int64_t number);
  void sumGradients();
  void gather(stretto_arena arena);

  // Seconds that this rank has spent in exchanges, in all.
  double exchangeSeconds() const { return exchanged; }

  // The numbers of all virtual ranks, in their order, of those of this rank.
  std::vector<double> gather(const std::vector<double> &own);
  // Whether it holds on all ranks.
  bool all(bool own);

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
