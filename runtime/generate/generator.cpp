// Answers to prompts by the decode entries of a program.
#include "runtime/generate/generator.h"

#include "runtime/core/error.h"
#include "runtime/generate/prompts.h"
#include "runtime/generate/sample.h"

#include <algorithm>
#include <fmt/format.h>

namespace stretto::runtime {

// A row of the batch: the prompt it works on, and what of it, or of the answer, the model has not read yet.
struct Generator::Row {
  const Prompt *prompt = nullptr; // null: idle
  uint64_t number = 0;            // of the prompt, for random numbers
  std::span<const int32_t> unread;
  std::vector<int32_t> *answer = nullptr;
};

// Chooses the token behind what was read. Returns whether the answer goes on.
bool Generator::writeToken(Row &row, int64_t slot, std::span<const double> logits, const Writing &writing) {
  const DrawPlace place{writing.seed, row.number, static_cast<uint32_t>(decoder.length(slot))};
  const int32_t token = drawToken(logits, writing.temperature, place);
  row.answer->push_back(token);
  row.unread = std::span(*row.answer).last(1);
  return token != row.prompt->end && static_cast<int64_t>(row.answer->size()) < row.prompt->most;
}

std::vector<std::vector<int32_t>> Generator::answer(std::span<const Prompt> prompts, const Writing &writing) {
  for (size_t i = 0; i < prompts.size(); ++i)
    checkPrompt(prompts[i], fmt::format("prompt {}", i + 1), decoder.capacity(), decoder.vocabulary());
  std::vector<std::vector<int32_t>> answers(prompts.size());
  std::vector<Row> rows(decoder.slots());
  std::vector<std::span<const int32_t>> next(rows.size());
  size_t taken = 0, open = prompts.size();
  while (open > 0) {
    for (size_t slot = 0; slot < rows.size(); ++slot) {
      Row &row = rows[slot];
      if (!row.prompt && taken < prompts.size()) {
        decoder.restart(static_cast<int64_t>(slot));
        row = {&prompts[taken], writing.firstPrompt + taken, prompts[taken].tokens, &answers[taken]};
        ++taken;
      }
      next[slot] = row.unread.first(std::min<size_t>(row.unread.size(), decoder.chunk()));
    }
    const std::span<const double> logits = decoder.append(next);
    for (size_t slot = 0; slot < rows.size(); ++slot) {
      Row &row = rows[slot];
      row.unread = row.unread.subspan(next[slot].size());
      if (!row.prompt || !row.unread.empty())
        continue;
      const auto ofRow = logits.subspan(slot * decoder.vocabulary(), decoder.vocabulary());
      if (!writeToken(row, static_cast<int64_t>(slot), ofRow, writing)) {
        row = {};
        --open;
      }
    }
  }
  return answers;
}

} // namespace stretto::runtime
