// Which rows of the flat arenas a rank of a run owns: it applies their gradients and keeps their moments.
#pragma once

#include "runtime/abi/abi.h"

namespace stretto::runtime {

struct FlatShard {
  int64_t begin = 0, end = 0; // rows of STRETTO_FLAT_COLUMNS elements that this rank owns
  int64_t room = 0;           // rows that PARAMETERS, GRADIENTS and SQUARES have room for, so that all ranks' parts are
                              // of one size; at least as many as there are
};

// Of a run of one rank.
FlatShard wholeShard(const stretto_program &program);

// The part of an arena that there is, in bytes.
struct ArenaRange {
  int64_t origin = 0, bytes = 0;
};
ArenaRange rangeOf(int arena, const stretto_program &program, const FlatShard &shard);

} // namespace stretto::runtime
