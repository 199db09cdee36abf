// Telling text from other bytes, and showing either in messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stretto::runtime {

// The bytes of the character of UTF-8 that a text, which is not empty, opens with; 0 where it opens with none. The
// second byte has a range of its own where the whole could be written in fewer bytes, would be half of a pair of
// UTF-16, or lie beyond U+10FFFF.
inline size_t utf8Size(std::string_view text) {
  const auto byte = [&](size_t i) { return uint8_t(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80)
    return 1;
  const size_t size = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (size == 0 || text.size() < size)
    return 0;
  const uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  const bool rest = std::ranges::all_of(text.substr(2, size - 2), [](char c) { return (uint8_t(c) & 0xc0) == 0x80; });
  return byte(1) >= low && byte(1) <= high && rest ? size : 0;
}

// How many bytes from the start on are whole characters: all of a text, fewer where something else begins.
inline size_t validUtf8(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    const size_t size = utf8Size(bytes.substr(at));
    if (size == 0)
      break;
    at += size;
  }
  return at;
}

// About so many bytes to be shown, as in a message, with dots in place of control signs and of what is no UTF-8.
inline std::string printable(std::string_view bytes, size_t most = 40) {
  std::string text;
  while (!bytes.empty() && text.size() < most) {
    const size_t size = utf8Size(bytes);
    const bool isControl = size == 1 && (uint8_t(bytes[0]) < ' ' || bytes[0] == 0x7f);
    text.append(size == 0 || isControl ? "." : bytes.substr(0, size));
    bytes.remove_prefix(std::max<size_t>(size, 1));
  }
  return bytes.empty() ? text : text + "...";
}

} // namespace stretto::runtime
