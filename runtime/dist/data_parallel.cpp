// A step shared out over the ranks of a run.
#include "runtime/dist/data_parallel.h"

#include "runtime/core/counted.h"
#include "runtime/core/error.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stretto::runtime {

// Which numbers of ranks give the same bits with so many virtual ranks: one, and those that leave each a power of two.
static std::vector<int64_t> ranksFor(int64_t virtualRanks) {
  std::vector<int64_t> ranks = {1};
  for (int64_t each = std::bit_floor(static_cast<uint64_t>(virtualRanks)); each >= 1; each /= 2)
    if (virtualRanks % each == 0 && virtualRanks / each > 1)
      ranks.push_back(virtualRanks / each);
  return ranks;
}

int64_t shareVirtualRanks(int64_t virtualRanks, int64_t ranks) {
  const std::vector<int64_t> fitting = ranksFor(virtualRanks);
  if (std::find(fitting.begin(), fitting.end(), ranks) == fitting.end())
    throw SharedError(
        fmt::format("{} cannot share {} evenly by powers of two; use {} {}, or start a new run with --virtual-ranks {}",
                    counted(ranks, "rank"), counted(virtualRanks, "virtual rank"), fmt::join(fitting, ", "),
                    plural(fitting.back(), "rank"), ranks));
  return virtualRanks / ranks;
}

DataParallel::DataParallel(Ranks &ranks, const stretto_program &program, int64_t virtualRanks)
    : members(ranks), program(program), ownVirtual(shareVirtualRanks(virtualRanks, ranks.size())),
      rowShares(shareRows(program, ranks.rank(), ranks.size(), ranks.localSize())) {
  if (ownVirtual > 1 && !program.add)
    throw SharedError("a program for virtual ranks must have a kernel that adds gradients; compile the model again");
}

int64_t DataParallel::bytes() const {
  return VirtualSum::bytes(program, ownVirtual) + Exchange::stagingBytes(program, rowShares);
}

void DataParallel::begin(Device &device, const Arenas &arenas) {
  if (ownVirtual > 1)
    virtualSum.emplace(program, device, arenas, ownVirtual);
  if (members.size() > 1)
    exchange.emplace(program, device, arenas, rowShares, members.levels());
}

void DataParallel::addVirtualRank(int64_t number) {
  if (virtualSum)
    virtualSum->add(number);
}

namespace {

// Adds the time until it is gone.
class Timed {
public:
  explicit Timed(double &seconds) : seconds(seconds) {}
  ~Timed() { seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

private:
  double &seconds;
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

} // namespace

void DataParallel::sumLast(const std::function<void(const std::function<void(int64_t)> &)> &compute,
                           void *accumulated) {
  std::vector<Addend> addends;
  if (accumulated)
    addends.push_back({accumulated, true});
  if (virtualSum)
    for (void *sums : virtualSum->takePending())
      addends.push_back({sums, false});
  compute([&](int64_t buckets) { exchange->send(buckets, addends); });
  const Timed timed(exchanged);
  exchange->finishSums(addends);
}

void DataParallel::gatherSquares() {
  const Timed timed(exchanged);
  exchange->gatherSquares();
}

void DataParallel::startParameters(const std::function<void(const RowRange &, SideStream &)> &then) {
  exchange->startParameters(then);
}

void DataParallel::awaitParameters(int64_t buckets) {
  const Timed timed(exchanged);
  exchange->awaitParameters(buckets);
}

void DataParallel::finishParameters() {
  const Timed timed(exchanged);
  exchange->finishParameters();
}

std::vector<double> DataParallel::gather(const std::vector<double> &own) {
  std::vector<double> all(own.size() * members.size());
  members.control().gather(own.data(), all.data(), static_cast<int64_t>(own.size() * sizeof(double)));
  return all;
}

} // namespace stretto::runtime
