// Where the documents packed into sequences begin.
#include "runtime/train/documents.h"

#include "runtime/core/error.h"

#include <fmt/format.h>

namespace stretto::runtime {

std::vector<int32_t> wholeSequences(int64_t tokens, int64_t length) {
  std::vector<int32_t> positions(tokens);
  for (int64_t token = 0; token < tokens; ++token)
    positions[token] = static_cast<int32_t>(token % length);
  return positions;
}

std::vector<int32_t> documentStarts(std::span<const int32_t> positions, int64_t length) {
  std::vector<int32_t> starts;
  for (size_t token = 0; token < positions.size(); ++token) {
    const int64_t position = static_cast<int64_t>(token) % length;
    if (positions[token] == 0)
      starts.push_back(static_cast<int32_t>(token));
    else if (position == 0 || positions[token] != positions[token - 1] + 1)
      throw Error(
          fmt::format("positions must be 0 at the first token of a sequence and of each document and one more at each "
                      "token after it, but got {} at token {} of sequence {}",
                      positions[token], position, static_cast<int64_t>(token) / length));
  }
  return starts;
}

std::vector<int32_t> paddedStarts(std::span<const int32_t> positions, int64_t length, int64_t room) {
  std::vector<int32_t> starts = documentStarts(positions, length);
  if (static_cast<int64_t>(starts.size()) > room)
    throw Error(fmt::format("a batch must hold at most {} documents, but got {}; compile with a larger --max-documents",
                            room, starts.size()));
  starts.resize(room + 1, static_cast<int32_t>(positions.size()));
  return starts;
}

} // namespace stretto::runtime
