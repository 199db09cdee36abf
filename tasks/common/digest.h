// Digests of what files say, to tell later whether they still say the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stretto::tasks {

// XXH3 of bytes that follow those with the digest `before`: finds accidents, not forgery.
uint64_t digestOf(std::span<const std::byte> bytes, uint64_t before = 0);
inline uint64_t digestOf(std::string_view text, uint64_t before = 0) {
  return digestOf(std::as_bytes(std::span(text)), before);
}

// 16 lower-case hex digits.
std::string digestText(uint64_t digest);

} // namespace stretto::tasks
