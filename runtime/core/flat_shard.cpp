// Which rows of the flat arenas a rank of a run owns.
#include "runtime/core/flat_shard.h"

#include "runtime/core/op.h"

#include <algorithm>

namespace stretto::runtime {

FlatShard wholeShard(const stretto_program &program) {
  const int64_t rows = program.trainable_elements / STRETTO_FLAT_COLUMNS;
  return {0, rows, rows};
}

ArenaRange rangeOf(int arena, const stretto_program &program, const FlatShard &shard) {
  const int64_t all = program.arena_bytes[arena], element = elementBytes(program.dtype);
  const int64_t rowBytes = STRETTO_FLAT_COLUMNS * element;
  if (shard.begin == 0 && shard.end == wholeShard(program).end && shard.room == shard.end)
    return {0, all};
  switch (arena) {
  case STRETTO_ARENA_MOMENT1:
  case STRETTO_ARENA_MOMENT2:
    return {shard.begin * rowBytes, std::min(all, shard.end * rowBytes) - shard.begin * rowBytes};
  case STRETTO_ARENA_ACTIVATIONS:
  case STRETTO_ARENA_GRADIENTS:
  case STRETTO_ARENA_PARAMETERS:
    return {0, std::max(all, shard.room * rowBytes)};
  case STRETTO_ARENA_SQUARES:
    return {0, std::max(all, shard.room * element)};
  default:
    return {0, all};
  }
}

} // namespace stretto::runtime
