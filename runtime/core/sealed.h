// Text files that end in a checksum of themselves, as a last line of comment: a part is not taken for the whole, nor
// what was changed for what was written.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace stretto::runtime {

// The last line of a file with this text above it.
inline std::string sealOf(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  char line[64];
  std::snprintf(line, sizeof line, "# checksum: %016" PRIx64 "%016" PRIx64 "\n", hash.high64, hash.low64);
  return line;
}

inline std::string sealed(const std::string &text) { return text + sealOf(text); }

// What stands above the seal of a file; nothing where the file was cut or changed.
inline std::optional<std::string_view> unsealed(std::string_view file) {
  const size_t size = sealOf("").size();
  if (file.size() < size)
    return std::nullopt;
  const std::string_view text = file.substr(0, file.size() - size);
  if (file.substr(text.size()) != sealOf(text))
    return std::nullopt;
  return text;
}

} // namespace stretto::runtime
