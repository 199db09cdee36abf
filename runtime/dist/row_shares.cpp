// How the rows of the flat arenas are shared out over the ranks of a run.
#include "runtime/dist/row_shares.h"

#include "runtime/dist/group.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace stretto::runtime {
namespace {

// Rows that begin a chunk of every kernel that works on parts.
int64_t unitRows(const stretto_program &program) {
  int64_t unit = 1;
  for (const stretto_kernel &kernel : std::span(program.kernels, program.kernel_count))
    if (kernel.chunk_rows > 0)
      unit = std::lcm(unit, kernel.chunk_rows);
  return unit;
}

// The bucket of the program after which all of these rows are final.
int64_t latestBucket(const stretto_program &program, const RowPart &rows) {
  int64_t latest = 0;
  for (int64_t i = 0; i < program.bucket_count; ++i)
    if (const stretto_bucket &bucket = program.buckets[i];
        bucket.first_row < rows.end && rows.begin < bucket.first_row + bucket.rows)
      latest = i;
  return latest;
}

// Buckets of whole steps of rows.
std::vector<SharedBucket> alignBuckets(const stretto_program &program, int64_t room, int64_t step) {
  std::vector<SharedBucket> buckets;
  for (int64_t begin = 0; begin < room; begin += step) {
    const RowPart cell{begin, begin + step};
    const int64_t number = latestBucket(program, cell);
    if (!buckets.empty() && buckets.back().number == number)
      buckets.back().rows.end = cell.end;
    else
      buckets.push_back({number, cell, {}});
  }
  return buckets;
}

} // namespace

int64_t RowShares::largestBucket() const {
  int64_t rows = 0;
  for (const SharedBucket &bucket : buckets)
    rows = std::max(rows, bucket.rows.rows());
  return rows;
}

RowShares shareRows(const stretto_program &program, int rank, int ranks, int localRanks) {
  if (ranks == 1)
    return {{}, {}, wholeShard(program)};
  if (!program.add || program.add->chunk_rows == 0)
    throw SharedError(
        "a program for several ranks must have kernels that can be launched in parts; compile the model again");
  const int64_t rows = wholeShard(program).room, unit = unitRows(program), room = roomFor(rows, ranks, unit);
  RowShares shares{rankLevels(ranks, localRanks), alignBuckets(program, room, ranks * unit), {{}, room}};
  for (SharedBucket &bucket : shares.buckets) {
    bucket.own = ownedRows(shares.levels, rank, bucket.rows);
    shares.shard.owned.push_back({std::min(rows, bucket.own.begin), std::min(rows, bucket.own.end)});
  }
  std::stable_sort(shares.buckets.begin(), shares.buckets.end(),
                   [](const SharedBucket &a, const SharedBucket &b) { return a.number < b.number; });
  return shares;
}

} // namespace stretto::runtime
