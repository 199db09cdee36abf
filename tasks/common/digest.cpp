// Digests of what files say, to tell later whether they still say the same.
#include "tasks/common/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace stretto::tasks {

uint64_t digestOf(std::span<const std::byte> bytes, uint64_t before) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), before);
}

std::string digestText(uint64_t digest) {
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4)
    text += "0123456789abcdef"[digest >> shift & 15];
  return text;
}

} // namespace stretto::tasks
