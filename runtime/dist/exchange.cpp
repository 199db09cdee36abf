// Sums gradients over ranks, and hands out what each of them computes from its rows.
#include "runtime/dist/exchange.h"

#include "runtime/core/op.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace stretto::runtime {
namespace {

int64_t flatRowBytes(const stretto_program &program) { return STRETTO_FLAT_COLUMNS * elementBytes(program.dtype); }

// A copy of so many runs of so many bytes, whose beginnings are a stride apart.
CopyOp copyRuns(const void *from, int64_t fromStride, void *to, int64_t toStride, int64_t runs, int64_t bytes) {
  CopyOp op{{stretto_copy_args{
      .rows = runs, .row_bytes = bytes, .from_stride = fromStride, .to_stride = toStride, .from = {}, .to = {}}}};
  op.from = from, op.to = to;
  return op;
}

} // namespace

// One bucket from others, or the squares of all rows, in the order of owners.
int64_t Exchange::stagingBytes(const stretto_program &program, const RowShares &shares) {
  return std::max(shares.largestBucket() * flatRowBytes(program),
                  shares.levels.empty() ? 0 : shares.shard.room * elementBytes(program.dtype));
}

Exchange::Exchange(const stretto_program &program, Device &device, const Arenas &arenas, const RowShares &shares,
                   std::span<const std::unique_ptr<Group>> groups)
    : program(program), device(device), arenas(arenas), shares(shares), groups(groups), side(device.sideStream()) {
  if (const int64_t bytes = stagingBytes(program, shares))
    staging = static_cast<char *>(device.allocate(bytes));
}

Exchange::~Exchange() {
  side.reset(); // may still write there
  if (staging)
    device.release(staging, stagingBytes(program, shares));
}

char *Exchange::gradientsAt(RowPart rows) const {
  const int64_t rowBytes = flatRowBytes(program);
  return static_cast<char *>(
      arenas.resolve({STRETTO_ARENA_GRADIENTS, 0, rows.begin * rowBytes}, rows.rows() * rowBytes));
}

void Exchange::send(int64_t buckets, std::span<const Addend> addends) {
  for (; sent < shares.buckets.size() && shares.buckets[sent].number < buckets; ++sent)
    sum(shares.buckets[sent], addends);
}

void Exchange::finishSums(std::span<const Addend> addends) {
  send(std::numeric_limits<int64_t>::max(), addends);
  sent = 0;
  side->join();
}

void Exchange::sum(const SharedBucket &bucket, std::span<const Addend> addends) {
  side->follow();
  for (const Addend &addend : addends)
    add(addend, bucket.rows);
  RowPart rest = bucket.rows;
  for (size_t i = 0; i < shares.levels.size(); ++i) {
    Group &group = *groups[i];
    const int64_t bytes = rest.rows() / group.size() * flatRowBytes(program);
    side->call([&group, from = gradientsAt(rest), to = staging, bytes] { group.exchange(from, to, bytes); });
    rest = rest.part(group.rank(), group.size());
    addParts(rest, group.size(), group.rank());
  }
}

// The rows there are. Behind the last one lie activations, which the backward may still be working on: they are sent
// with the others and mean nothing, but must stay as they are.
RowPart Exchange::thatThereAre(RowPart rows) const {
  const int64_t all = wholeShard(program).room;
  return {std::min(all, rows.begin), std::min(all, rows.end)};
}

// a = a + b, for some rows: `a` and `b` are where row 0 would be.
void Exchange::addRows(char *a, char *b, RowPart rows) {
  const int64_t ofChunk = program.add->chunk_rows;
  side->submit(LaunchOp(program.add, {a, b, a}, rows.begin / ofChunk, (rows.end + ofChunk - 1) / ofChunk));
}

void Exchange::add(const Addend &addend, RowPart rows) {
  const RowPart there = thatThereAre(rows);
  if (there.rows() == 0)
    return;
  const int64_t rowBytes = flatRowBytes(program);
  char *const sums = static_cast<char *>(addend.sums);
  addRows(static_cast<char *>(arenas.base(STRETTO_ARENA_GRADIENTS)), sums, there);
  if (addend.isTaken)
    side->submit(ZeroOp{sums + there.begin * rowBytes, there.rows() * rowBytes});
}

// Adds the parts in staging, of which the own one is in GRADIENTS, and so is the sum.
void Exchange::addParts(RowPart part, int parts, int own) {
  const RowPart there = thatThereAre(part);
  if (there.rows() == 0)
    return;
  const int64_t rowBytes = flatRowBytes(program);
  std::vector<char *> blocks; // where row 0 of each would be
  for (int i = 0; i < parts; ++i)
    blocks.push_back(staging + (i * part.rows() - part.begin) * rowBytes);
  const char *const mine = blocks[own] = static_cast<char *>(arenas.base(STRETTO_ARENA_GRADIENTS));
  addAsCounter(parts, [&](int64_t i, int64_t j) {
    if (blocks[j] == mine) // a + b is b + a
      std::swap(blocks[i], blocks[j]);
    addRows(blocks[i], blocks[j], there);
  });
}

// Level by level, the last one first: `rows` of `rowBytes` at `base`, of which each rank has its part.
void Exchange::gatherLevels(char *base, RowPart rows, int64_t rowBytes) {
  for (size_t i = groups.size(); i-- > 0;) {
    RowPart all = rows;
    for (size_t before = 0; before < i; ++before)
      all = all.part(groups[before]->rank(), groups[before]->size());
    Group &group = *groups[i];
    const RowPart own = all.part(group.rank(), group.size());
    side->call([&group, from = base + own.begin * rowBytes, to = base + all.begin * rowBytes,
                bytes = own.rows() * rowBytes] { group.gather(from, to, bytes); });
  }
}

void Exchange::startParameters(const std::function<void(const RowRange &, SideStream &)> &then) {
  const int64_t rowBytes = flatRowBytes(program);
  char *const parameters = static_cast<char *>(arenas.base(STRETTO_ARENA_PARAMETERS));
  come.clear();
  side->follow();
  for (size_t i = shares.buckets.size(); i-- > 0;) {
    gatherLevels(parameters, shares.buckets[i].rows, rowBytes);
    if (const RowPart there = thatThereAre(shares.buckets[i].rows); there.rows() > 0)
      then({there.begin, there.end}, *side);
    come.push_back(side->mark());
  }
}

void Exchange::awaitParameters(int64_t buckets) {
  const int64_t first = program.bucket_count - buckets; // they come from the last to the first
  size_t needed = 0;
  while (needed < come.size() && shares.buckets[shares.buckets.size() - 1 - needed].number >= first)
    ++needed;
  if (needed > 0)
    side->await(come[needed - 1]);
}

void Exchange::finishParameters() {
  come.clear();
  side->join();
}

// What a rank owns of all buckets goes together, and to its places on the other side.
void Exchange::gatherSquares() {
  const int64_t bytes = elementBytes(program.dtype);
  int64_t ofRank = 0, ranks = 1;
  RowPart own{0, shares.shard.room};
  for (const std::unique_ptr<Group> &group : groups) {
    own = own.part(group->rank(), group->size());
    ranks *= group->size();
  }
  char *const squares = static_cast<char *>(arenas.base(STRETTO_ARENA_SQUARES));
  side->follow();
  for (const SharedBucket &bucket : shares.buckets) {
    const int64_t run = bucket.own.rows() * bytes;
    side->submit(
        copyRuns(squares + bucket.own.begin * bytes, run, staging + (own.begin + ofRank) * bytes, run, 1, run));
    ofRank += bucket.own.rows();
  }
  gatherLevels(staging, {0, shares.shard.room}, bytes);
  ofRank = 0;
  for (const SharedBucket &bucket : shares.buckets) {
    const int64_t run = bucket.own.rows() * bytes;
    side->submit(
        copyRuns(staging + ofRank * bytes, own.rows() * bytes, squares + bucket.rows.begin * bytes, run, ranks, run));
    ofRank += bucket.own.rows();
  }
  side->join();
}

} // namespace stretto::runtime
