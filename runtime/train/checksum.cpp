// xxh3-128 checksums as 32 lower-case hex digits.
#include "runtime/train/checksum.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace stretto::runtime {

struct Checksum::State {
  alignas(64) XXH3_state_t inner;
};

Checksum::Checksum() : state(std::make_unique<State>()) { XXH3_128bits_reset(&state->inner); }
Checksum::~Checksum() = default;
void Checksum::add(const void *data, size_t bytes) { XXH3_128bits_update(&state->inner, data, bytes); }

std::string Checksum::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state->inner);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string checksumOf(const void *data, size_t bytes) {
  Checksum checksum;
  checksum.add(data, bytes);
  return checksum.hex();
}

} // namespace stretto::runtime
