// Which rows of the flat arenas a rank of a run owns.
#include "runtime/core/flat_shard.h"

#include "runtime/core/op.h"

#include <algorithm>

namespace stretto::runtime {

FlatShard wholeShard(const stretto_program &program) {
  const int64_t rows = program.trainable_elements / STRETTO_FLAT_COLUMNS;
  return {{{0, rows}}, rows};
}

static bool isWhole(const FlatShard &shard) {
  return shard.owned.size() == 1 && shard.owned[0].begin == 0 && shard.owned[0].end == shard.room;
}

// The rows that are owned of an arena of so many bytes.
static std::vector<ArenaPiece> ownedOf(const FlatShard &shard, int64_t rowBytes, int64_t all) {
  std::vector<ArenaPiece> pieces;
  for (const RowRange &rows : shard.owned)
    pieces.push_back({rows.begin * rowBytes, std::min(all, rows.end * rowBytes) - rows.begin * rowBytes});
  return pieces;
}

std::vector<ArenaPiece> piecesOf(int arena, const stretto_program &program, const FlatShard &shard) {
  const int64_t all = program.arena_bytes[arena], element = elementBytes(program.dtype);
  const int64_t rowBytes = STRETTO_FLAT_COLUMNS * element;
  if (isWhole(shard))
    return {{0, all}};
  switch (arena) {
  case STRETTO_ARENA_MOMENT1:
  case STRETTO_ARENA_MOMENT2:
    return ownedOf(shard, rowBytes, all);
  case STRETTO_ARENA_FACTORS:
    return ownedOf(shard, 2 * program.factor_columns * element, all);
  case STRETTO_ARENA_ACTIVATIONS:
    return {{0, std::max(all, program.gradients_begin + shard.room * rowBytes)}};
  case STRETTO_ARENA_GRADIENTS:
  case STRETTO_ARENA_PARAMETERS:
    return {{0, std::max(all, shard.room * rowBytes)}};
  case STRETTO_ARENA_SQUARES:
    return {{0, std::max(all, shard.room * element)}};
  default:
    return {{0, all}};
  }
}

int64_t bytesOf(int arena, const stretto_program &program, const FlatShard &shard) {
  int64_t bytes = 0;
  for (const ArenaPiece &piece : piecesOf(arena, program, shard))
    bytes += piece.bytes;
  return bytes;
}

} // namespace stretto::runtime
