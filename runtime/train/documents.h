// Where the documents packed into sequences begin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stretto::runtime {

// The places of tokens in sequences that are one document each: rows of `length`, 0, 1, ....
std::vector<int32_t> wholeSequences(int64_t tokens, int64_t length);

// The numbers of the tokens at which documents of a batch begin, from the places of tokens in their documents
// (rows of `length`). Throws Error where a place is neither 0 nor one more than that of the token before it in the row.
std::vector<int32_t> documentStarts(std::span<const int32_t> positions, int64_t length);

// The same as stretto_input has it: `room` + 1 numbers, the number of all tokens behind the last start. Throws Error
// where there are more documents than room.
std::vector<int32_t> paddedStarts(std::span<const int32_t> positions, int64_t length, int64_t room);

} // namespace stretto::runtime
