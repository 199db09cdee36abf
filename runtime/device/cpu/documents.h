// The documents that share the tokens of a batch.
#pragma once

#include <cstdint>
#include <vector>

namespace stretto::runtime {

// Tokens that see each other: a document, or a whole row.
struct Document {
  int64_t first, length; // first: its number among all tokens of the batch
};

// In the order of the tokens. `positions`, [batch, length], is 0 at the first token of each; null: whole rows.
std::vector<Document> documentsOf(int64_t batch, int64_t length, const int32_t *positions);

// Long ones first, so that threads that share them out end together.
std::vector<Document> longestFirst(std::vector<Document> documents);

} // namespace stretto::runtime
