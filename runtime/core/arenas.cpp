// The arenas of a program.
#include "runtime/core/arenas.h"

#include "runtime/core/error.h"

#include <fmt/format.h>

namespace stretto::runtime {

const char *arenaName(int arena) {
#define ARENA_NAME(number, NAME, name) #name,
  static constexpr const char *names[] = {STRETTO_ARENAS(ARENA_NAME)};
#undef ARENA_NAME
  return arena >= 0 && arena < STRETTO_ARENA_COUNT ? names[arena] : "unknown";
}

Arenas::Arenas(Device &device, const stretto_program &program, bool accumulate, const FlatShard &shard)
    : device(device) {
  try {
    for (int i = 0; i < STRETTO_ARENA_COUNT; ++i) {
      const int64_t bytes = bytesOf(i, program, shard);
      if (bytes <= 0 || i == STRETTO_ARENA_GRADIENTS || (i == STRETTO_ARENA_ACCUMULATOR && !accumulate))
        continue;
      arenas[i] = {device.allocate(bytes), bytes, piecesOf(i, program, shard)};
      device.submit(ZeroOp{arenas[i].data, bytes});
    }
    shareGradients(program.gradients_begin, piecesOf(STRETTO_ARENA_GRADIENTS, program, shard));
    device.wait();
  } catch (...) {
    releaseAll();
    throw;
  }
}

Arenas::~Arenas() { releaseAll(); }

void Arenas::shareGradients(int64_t begin, std::vector<ArenaPiece> pieces) {
  const int64_t bytes = pieces[0].bytes;
  const Arena &activations = arenas[STRETTO_ARENA_ACTIVATIONS];
  if (begin < 0 || bytes > activations.bytes - begin)
    throw Error(fmt::format("gradients must lie inside the activations, but got {} bytes of gradients from byte {} on, "
                            "and {} of activations",
                            bytes, begin, activations.bytes));
  arenas[STRETTO_ARENA_GRADIENTS] = {static_cast<char *>(activations.data) + begin, bytes, std::move(pieces)};
}

void Arenas::releaseAll() {
  for (int i = 0; i < STRETTO_ARENA_COUNT; ++i)
    if (arenas[i].data && i != STRETTO_ARENA_GRADIENTS)
      device.release(arenas[i].data, arenas[i].bytes);
}

void *Arenas::resolve(const stretto_buffer &buffer, int64_t bytes) const {
  if (buffer.arena < 0 || buffer.arena >= STRETTO_ARENA_COUNT)
    throw Error(fmt::format("a buffer must lie in one of {} arenas, but got arena {}",
                            static_cast<int>(STRETTO_ARENA_COUNT), buffer.arena));
  const Arena &arena = arenas[buffer.arena];
  char *data = static_cast<char *>(arena.data);
  for (const ArenaPiece &piece : arena.pieces) {
    const int64_t offset = buffer.offset - piece.origin;
    if (offset >= 0 && bytes >= 0 && offset <= piece.bytes && bytes <= piece.bytes - offset)
      return data + offset;
    data += piece.bytes;
  }
  throw Error(fmt::format("a buffer must lie inside its arena, but got bytes {} to {} of '{}' with {} bytes",
                          buffer.offset, buffer.offset + bytes, arenaName(buffer.arena), arena.bytes));
}

int64_t Arenas::totalBytes() const {
  int64_t total = 0;
  for (const Arena &arena : arenas)
    total += arena.bytes;
  return total - arenas[STRETTO_ARENA_GRADIENTS].bytes;
}

bool Arenas::contains(stretto_arena arena, const void *address) const {
  const char *begin = static_cast<const char *>(arenas[arena].data);
  return begin && address >= begin && address < begin + arenas[arena].bytes;
}

} // namespace stretto::runtime
