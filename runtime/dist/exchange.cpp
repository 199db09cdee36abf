// Sums gradients over ranks, and hands out what each of them computes from its rows.
#include "runtime/dist/exchange.h"

#include "runtime/core/error.h"
#include "runtime/core/op.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <vector>

namespace stretto::runtime {
namespace {

int64_t flatRowBytes(const stretto_program &program) { return STRETTO_FLAT_COLUMNS * elementBytes(program.dtype); }

// Rows that begin a chunk of every kernel that works on parts.
int64_t unitRows(const stretto_program &program) {
  int64_t unit = 1;
  for (const stretto_kernel &kernel : std::span(program.kernels, program.kernel_count))
    if (kernel.chunk_rows > 0)
      unit = std::lcm(unit, kernel.chunk_rows);
  return unit;
}

} // namespace

RowShares shareRows(const stretto_program &program, int rank, int ranks, int localRanks) {
  if (ranks == 1)
    return {{}, {0, wholeShard(program).end}, wholeShard(program)};
  if (!program.add || program.add->chunk_rows == 0)
    throw SharedError(
        "a program for several ranks must have kernels that can be launched in parts; compile the model again");
  const int64_t rows = wholeShard(program).end, room = roomFor(rows, ranks, unitRows(program));
  RowShares shares{rankLevels(ranks, localRanks), {}, {}};
  shares.own = ownedRows(shares.levels, rank, room);
  shares.shard = {std::min(rows, shares.own.begin), std::min(rows, shares.own.end), room};
  return shares;
}

int64_t Exchange::stagingBytes(const stretto_program &program, const RowShares &shares) {
  return shares.levels.empty() ? 0 : shares.shard.room * flatRowBytes(program);
}

Exchange::Exchange(const stretto_program &program, Device &device, const Arenas &arenas, const RowShares &shares,
                   std::span<const std::unique_ptr<Group>> groups)
    : program(program), device(device), arenas(arenas), shares(shares), groups(groups) {
  if (const int64_t bytes = stagingBytes(program, shares))
    staging = static_cast<char *>(device.allocate(bytes));
}

Exchange::~Exchange() {
  if (staging)
    device.release(staging, stagingBytes(program, shares));
}

void Exchange::sumGradients() {
  device.wait();
  RowPart rest{0, shares.shard.room};
  for (size_t i = 0; i < shares.levels.size(); ++i) {
    const int parts = shares.levels[i].size, own = groups[i]->rank();
    const int64_t rowBytes = flatRowBytes(program), bytes = rest.rows() / parts * rowBytes;
    const void *from = arenas.resolve({STRETTO_ARENA_GRADIENTS, 0, rest.begin * rowBytes}, rest.rows() * rowBytes);
    groups[i]->exchange(from, staging, bytes);
    rest = rest.part(own, parts);
    addParts(rest, parts, own);
    device.wait();
  }
}

// Adds the parts in staging, of which the own one is in GRADIENTS, and so is the sum.
void Exchange::addParts(RowPart part, int parts, int own) {
  const int64_t rowBytes = flatRowBytes(program);
  std::vector<char *> blocks;
  for (int i = 0; i < parts; ++i)
    blocks.push_back(staging + i * part.rows() * rowBytes);
  blocks[own] =
      static_cast<char *>(arenas.resolve({STRETTO_ARENA_GRADIENTS, 0, part.begin * rowBytes}, part.rows() * rowBytes));
  const char *const mine = blocks[own];
  const int64_t chunks = std::min(program.add->chunks, part.rows() / program.add->chunk_rows);
  addAsCounter(parts, [&](int64_t i, int64_t j) {
    if (blocks[j] == mine) // a + b is b + a
      std::swap(blocks[i], blocks[j]);
    device.submit(LaunchOp(program.add, {blocks[i], blocks[j], blocks[i]}, 0, chunks));
  });
}

void Exchange::gather(stretto_arena arena) {
  const int64_t rowBytes = arena == STRETTO_ARENA_SQUARES ? elementBytes(program.dtype) : flatRowBytes(program);
  device.wait();
  for (size_t i = shares.levels.size(); i-- > 0;) {
    RowPart all{0, shares.shard.room};
    for (size_t before = 0; before < i; ++before)
      all = all.part(groups[before]->rank(), shares.levels[before].size);
    const RowPart own = all.part(groups[i]->rank(), shares.levels[i].size);
    char *const to = static_cast<char *>(arenas.resolve({arena, 0, all.begin * rowBytes}, all.rows() * rowBytes));
    groups[i]->gather(to + (own.begin - all.begin) * rowBytes, to, own.rows() * rowBytes);
  }
}

} // namespace stretto::runtime
