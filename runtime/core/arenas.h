// The arenas of a program: one device allocation each (GRADIENTS is a part of ACTIVATIONS), and the way from
// (arena, offset) to an address.
#pragma once

#include "runtime/core/device.h"
#include "runtime/core/flat_shard.h"

#include <array>

namespace stretto::runtime {

class Arenas {
public:
  // Allocates and zeroes every arena of the program that has bytes; ACCUMULATOR only if it is used, and of the moments
  // the rows of the shard.
  Arenas(Device &device, const stretto_program &program, bool accumulate, const FlatShard &shard);
  Arenas(Device &device, const stretto_program &program, bool accumulate)
      : Arenas(device, program, accumulate, wholeShard(program)) {}
  ~Arenas();
  Arenas(const Arenas &) = delete;
  Arenas &operator=(const Arenas &) = delete;

  // Address of a buffer that spans `bytes`; throws Error when it does not lie inside its arena.
  void *resolve(const stretto_buffer &buffer, int64_t bytes) const;
  void *base(stretto_arena arena) const { return arenas[arena].data; }
  int64_t bytes(stretto_arena arena) const { return arenas[arena].bytes; }
  int64_t totalBytes() const;
  // What there is of an arena, in order.
  const std::vector<ArenaPiece> &pieces(stretto_arena arena) const { return arenas[arena].pieces; }

  bool contains(stretto_arena arena, const void *address) const;

  // See Device::hostView.
  const void *hostView(const void *data, int64_t bytes, std::vector<std::byte> &storage) const {
    return device.hostView(data, bytes, storage);
  }

private:
  struct Arena {
    void *data = nullptr;
    int64_t bytes = 0;
    std::vector<ArenaPiece> pieces = {};
  };
  void shareGradients(int64_t begin, std::vector<ArenaPiece> pieces);
  void releaseAll();
  Device &device;
  std::array<Arena, STRETTO_ARENA_COUNT> arenas;
};

// Name of an arena in lower case, for messages.
const char *arenaName(int arena);

} // namespace stretto::runtime
