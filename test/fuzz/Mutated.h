// Seeded edits of files, for tests that a reader takes any bytes.
#pragma once

#include "tasks/common/random.h"

#include <string>
#include <vector>

namespace stretto::test {

using Pieces = std::vector<std::string>;

// One to three edits: bytes cut, changed, put in, or taken from the pieces.
inline std::string mutated(std::string text, tasks::Random &random, const Pieces &pieces) {
  for (uint64_t i = 0, n = 1 + random.below(3); i < n; ++i) {
    const size_t at = random.below(text.size() + 1), length = random.below(8);
    const std::string &piece = pieces[random.below(pieces.size())];
    switch (random.below(6)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, piece);
      break;
    case 2:
      text.replace(at, std::min(length, text.size() - at), piece);
      break;
    case 3:
      text.resize(random.below(4) ? text.size() : at);
      break;
    case 4:
      text.insert(at, text.substr(random.below(text.size() + 1), length));
      break;
    default:
      if (at < text.size())
        text[at] = char(random.below(2) ? text[at] ^ 1 << random.below(8) : random.below(256));
    }
  }
  return text;
}

} // namespace stretto::test
