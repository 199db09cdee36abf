// Sums gradients over ranks, and hands out what each of them computes from its rows. Groups carry bytes, kernels add in
// one order (runtime/dist/levels.h), so that the bits are those of one rank that does all of it. All of it runs on a
// second stream of the device, each bucket as soon as its gradients are final.
#pragma once

#include "runtime/core/arenas.h"
#include "runtime/dist/group.h"
#include "runtime/dist/row_shares.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace stretto::runtime {

// What this rank has computed before, laid out as gradients are, and is added to them before they are sent.
struct Addend {
  void *sums = nullptr;
  bool isTaken = false; // becomes zero
};

class Exchange {
public:
  // `groups`: one for each level, of memory that the device reads.
  Exchange(const stretto_program &program, Device &device, const Arenas &arenas, const RowShares &shares,
           std::span<const std::unique_ptr<Group>> groups);
  ~Exchange();
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;

  // The first `buckets` buckets of the program are final in GRADIENTS: with the addends, first to last, they are on
  // their way from now on.
  void send(int64_t buckets, std::span<const Addend> addends);
  // Sends the others, too. The own rows of GRADIENTS are then the sum over all ranks; the other rows mean nothing.
  void finishSums(std::span<const Addend> addends);

  // SQUARES become whole on all ranks, each row from its owner.
  void gatherSquares();
  // So do PARAMETERS, as far as they are trained, one bucket after the other, the last one first; behind each, `then`
  // is called with its rows and the stream on which they come.
  void startParameters(const std::function<void(const RowRange &rows, SideStream &)> &then);
  // The last `buckets` buckets of the program have come for what is put on the stream of the device from now on.
  void awaitParameters(int64_t buckets);
  void finishParameters();

  // Bytes of the device that it takes besides the arenas.
  static int64_t stagingBytes(const stretto_program &program, const RowShares &shares);

private:
  void sum(const SharedBucket &bucket, std::span<const Addend> addends);
  RowPart thatThereAre(RowPart rows) const;
  void addRows(char *a, char *b, RowPart rows);
  void add(const Addend &addend, RowPart rows);
  void addParts(RowPart part, int parts, int own);
  void gatherLevels(char *base, RowPart rows, int64_t rowBytes);
  char *gradientsAt(RowPart rows) const;

  const stretto_program &program;
  Device &device;
  const Arenas &arenas;
  const RowShares &shares;
  std::span<const std::unique_ptr<Group>> groups;
  std::unique_ptr<SideStream> side;
  char *staging = nullptr;   // what came from others
  std::vector<int64_t> come; // marks behind the parameters of each bucket, in the order in which they come
  size_t sent = 0;           // buckets of this step
};

} // namespace stretto::runtime
