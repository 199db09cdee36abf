// Which rows of the flat arenas a rank of a run owns: it applies their gradients and keeps their moments.
#pragma once

#include "runtime/abi/abi.h"

#include <vector>

namespace stretto::runtime {

// Rows of the flat arenas: [begin, end).
struct RowRange {
  int64_t begin = 0, end = 0;
  int64_t rows() const { return end - begin; }
};

struct FlatShard {
  std::vector<RowRange> owned; // in order, of STRETTO_FLAT_COLUMNS elements each
  int64_t room = 0; // rows that PARAMETERS, GRADIENTS and SQUARES have room for, so that all ranks' parts are
                    // of one size; at least as many as there are
};

// Of a run of one rank.
FlatShard wholeShard(const stretto_program &program);

// Bytes of an arena that there are, as the program counts them: [origin, origin + bytes).
struct ArenaPiece {
  int64_t origin = 0, bytes = 0;
};
// In order. They lie in memory one behind the other.
std::vector<ArenaPiece> piecesOf(int arena, const stretto_program &program, const FlatShard &shard);
// Of all pieces.
int64_t bytesOf(int arena, const stretto_program &program, const FlatShard &shard);

} // namespace stretto::runtime
