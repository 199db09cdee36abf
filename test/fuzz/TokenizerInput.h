// One fuzzing step of the reader of a tokenizer's files, and of the tokenizer. Aborts if an invariant breaks.
#pragma once

#include "tasks/common/bpe.h"
#include "tasks/common/parameters.h"

#include <cstdlib>
#include <memory>

namespace stretto::test {

// The texts of vocab.json and merges.txt and a piece to cut into tokens, with bytes 0 between. True where the texts
// were the files of a tokenizer.
inline bool checkTokenizerInput(std::string_view input) {
  const auto take = [&] {
    const size_t end = std::min(input.find('\0'), input.size());
    const std::string text(input.substr(0, end));
    input.remove_prefix(std::min(end + 1, input.size()));
    return text;
  };
  const std::string vocabulary = take(), merges = take(), piece = take().substr(0, 200);
  std::unique_ptr<tasks::Bpe> bpe;
  try {
    bpe = std::make_unique<tasks::Bpe>(vocabulary, merges, "fuzz");
  } catch (const tasks::TaskError &error) {
    const std::string_view text = error.what();
    if (!text.starts_with("fuzz/vocab.json:") && !text.starts_with("fuzz/merges.txt:"))
      std::abort(); // every message has a place
    return false;
  }
  try {
    std::string joined;
    for (const std::string &token : bpe->split(piece)) {
      if (bpe->id(token) < 0)
        std::abort(); // tokens have ids
      joined += token;
    }
    if (joined != piece)
      std::abort(); // and are the text
  } catch (const tasks::TaskError &error) {
    if (!std::string_view(error.what()).starts_with("vocabulary 'fuzz' must hold a token for byte "))
      std::abort();
  }
  return true;
}

} // namespace stretto::test
