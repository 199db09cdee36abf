// One fuzzing step of the reader of token files. Aborts if an invariant breaks.
#pragma once

#include "tasks/common/parameters.h"
#include "tasks/tokens/token_file.h"

#include <cstdlib>
#include <string_view>
#include <vector>

namespace stretto::test {

// True where the bytes were a token file.
inline bool checkTokensInput(std::string_view input) {
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte *>(input.data()),
                                     reinterpret_cast<const std::byte *>(input.data()) + input.size()); // with an end
  try {
    const tasks::TokenView file(bytes, "fuzz");
    const tasks::TokenHeader &head = file.header();
    if (size_t(tasks::tokenHeaderBytes + head.count * head.width) != bytes.size())
      std::abort(); // all bytes are read
    for (int64_t id : {head.separator, head.opener})
      if (id < -1 || id >= head.vocabulary)
        std::abort();
    for (int64_t i = 0; i < head.count; ++i)
      if (file[i] < 0 || file[i] >= head.vocabulary)
        std::abort(); // ids are of the vocabulary
  } catch (const tasks::TaskError &error) {
    if (!std::string_view(error.what()).starts_with("token file 'fuzz': "))
      std::abort(); // every message has a place
    return false;
  }
  return true;
}

} // namespace stretto::test
