// Generation without caches: the whole row is evaluated again for each token.
#include "runtime/generate/recompute.h"

#include "runtime/generate/prompts.h"
#include "runtime/generate/sample.h"

#include <algorithm>
#include <fmt/format.h>

namespace stretto::runtime {
namespace {

void checkPrompts(std::span<const Prompt> prompts, const stretto_program &program) {
  for (size_t i = 0; i < prompts.size(); ++i)
    checkPrompt(prompts[i], fmt::format("prompt {}", i + 1), program.length, program.vocabulary);
}

// Some prompts that are answered side by side, one in each sequence.
class Batch {
public:
  Batch(Stepper &stepper, const stretto_program &program, std::span<const Prompt> prompts, const Writing &writing)
      : stepper(stepper), program(program), prompts(prompts), writing(writing), answers(prompts.size()) {
    const size_t count = program.batch * program.length;
    block.tokens.resize(count);
    block.targets.resize(count);
    block.mask.resize(count);
    block.weights.resize(count);
    for (size_t at = 0; at < count; ++at)
      block.positions.push_back(static_cast<int32_t>(at % program.length));
    for (size_t row = 0; row < prompts.size(); ++row)
      std::copy(prompts[row].tokens.begin(), prompts[row].tokens.end(), block.tokens.begin() + row * program.length);
  }

  std::vector<std::vector<int32_t>> run() {
    while (writeOne())
      ;
    return std::move(answers);
  }

private:
  bool isDone(size_t row) const {
    const Prompt &prompt = prompts[row];
    const std::vector<int32_t> &answer = answers[row];
    return static_cast<int64_t>(answer.size()) >= prompt.most || (!answer.empty() && answer.back() == prompt.end);
  }

  // The place of its last token among all.
  size_t last(size_t row) const { return row * program.length + prompts[row].tokens.size() + answers[row].size() - 1; }

  // One token more in each sequence that is not done. Returns whether there was one.
  bool writeOne() {
    std::vector<size_t> open;
    for (size_t row = 0; row < prompts.size(); ++row)
      if (!isDone(row))
        open.push_back(row);
    if (open.empty())
      return false;
    const int64_t ids = program.vocabulary;
    const std::vector<int32_t> likely =
        writing.temperature == 0 ? stepper.evaluate(block).predicted : std::vector<int32_t>();
    // What is likeliest may be a column of logits behind those of tokens.
    const bool drawn =
        likely.empty() || std::ranges::any_of(open, [&](size_t row) { return likely[last(row)] >= ids; });
    const std::vector<double> distribution = drawn ? stepper.logProbabilities(block, ids) : std::vector<double>();
    for (size_t row : open) {
      const size_t at = last(row), next = at + 1 - row * program.length;
      const DrawPlace place{writing.seed, writing.firstPrompt + row, static_cast<uint32_t>(next)};
      const int32_t token =
          drawn ? drawToken(std::span(distribution).subspan(at * ids, ids), writing.temperature, place) : likely[at];
      if (token < 0)
        failDraw(place);
      answers[row].push_back(token);
      if (static_cast<int64_t>(next) < program.length)
        block.tokens[at + 1] = token;
    }
    return true;
  }

  Stepper &stepper;
  const stretto_program &program;
  std::span<const Prompt> prompts;
  const Writing &writing;
  TokenBlock block;
  std::vector<std::vector<int32_t>> answers;
};

} // namespace

std::vector<std::vector<int32_t>> recomputeAnswers(Stepper &stepper, const stretto_program &program,
                                                   std::span<const Prompt> prompts, const Writing &writing) {
  checkPrompts(prompts, program);
  std::vector<std::vector<int32_t>> all;
  const size_t rows = static_cast<size_t>(program.batch);
  for (size_t first = 0; first < prompts.size(); first += rows) {
    Writing part = writing;
    part.firstPrompt += first;
    const auto some = prompts.subspan(first, std::min(rows, prompts.size() - first));
    for (std::vector<int32_t> &answer : Batch(stepper, program, some, part).run())
      all.push_back(std::move(answer));
  }
  return all;
}

} // namespace stretto::runtime
