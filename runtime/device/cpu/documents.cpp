// The documents that share the tokens of a batch.
#include "runtime/device/cpu/documents.h"

#include <algorithm>

namespace stretto::runtime {

std::vector<Document> documentsOf(int64_t batch, int64_t length, const int32_t *positions) {
  std::vector<Document> documents;
  for (int64_t token = 0; token < batch * length; ++token)
    if (token % length == 0 || (positions && positions[token] == 0))
      documents.push_back({token, 1});
    else
      ++documents.back().length;
  return documents;
}

std::vector<Document> longestFirst(std::vector<Document> documents) {
  std::stable_sort(documents.begin(), documents.end(),
                   [](const Document &a, const Document &b) { return a.length > b.length; });
  return documents;
}

} // namespace stretto::runtime
