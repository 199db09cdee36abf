// A model whose state is written by hand: the next token is the sum of all tokens so far, weighted by their positions.
#include "runtime/generate/generator.h"
#include "test/unit/runtime/small.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

constexpr int64_t vocabulary = 17, capacity = 12;

// Where the host puts its numbers, the same for both entries.
constexpr int64_t tokensAt = 0, positionsAt = 1024, countsAt = 2048;

struct Call {
  int64_t batch, rows;
};
std::vector<Call> calls;

// The state of a sequence is one number in the CACHE arena.
template <int64_t batch, int64_t rows> void decode(stretto_context *context) {
  auto words = [&](int64_t offset) {
    return reinterpret_cast<const int32_t *>(static_cast<char *>(context->arenas.base(STRETTO_ARENA_INPUTS)) + offset);
  };
  auto *state = static_cast<int32_t *>(context->arenas.base(STRETTO_ARENA_CACHE));
  auto *logits = static_cast<float *>(context->arenas.base(STRETTO_ARENA_OUTPUTS));
  calls.push_back({batch, rows});
  for (int64_t b = 0; b < batch; ++b) {
    const int32_t count = words(countsAt)[b];
    for (int64_t r = 0; r < count; ++r) {
      const int32_t position = words(positionsAt)[b * rows + r];
      state[b] = (position == 0 ? 0 : state[b]) + (position + 1) * words(tokensAt)[b * rows + r];
    }
    for (int64_t token = 0; token < vocabulary; ++token)
      logits[b * vocabulary + token] = count > 0 && token == state[b] % vocabulary ? 4.0f : 0.0f;
  }
}

std::vector<int32_t> expectedAnswer(const Prompt &prompt) {
  std::vector<int32_t> all = prompt.tokens, answer;
  while (static_cast<int64_t>(answer.size()) < prompt.most && (answer.empty() || answer.back() != prompt.end)) {
    int32_t sum = 0;
    for (size_t i = 0; i < all.size(); ++i)
      sum += static_cast<int32_t>(i + 1) * all[i];
    answer.push_back(sum % vocabulary);
    all.push_back(answer.back());
  }
  return answer;
}

template <int64_t batch, int64_t rows> struct Model {
  Model() : device(makeDevice("cpu")), arenas(*device, make(), false), generator({program, *device, arenas}) {
    calls.clear();
  }
  const stretto_program &make() {
    program.batch = batch, program.length = capacity, program.vocabulary = vocabulary;
    program.arena_bytes[STRETTO_ARENA_INPUTS] = 4096;
    program.arena_bytes[STRETTO_ARENA_OUTPUTS] = batch * vocabulary * 4;
    program.arena_bytes[STRETTO_ARENA_CACHE] = batch * 4;
    program.decode_one = {1, tokensAt, positionsAt, countsAt, 0, vocabulary, decode<batch, 1>};
    program.decode_chunk = {rows, tokensAt, positionsAt, countsAt, 0, vocabulary, decode<batch, rows>};
    return program;
  }
  stretto_program program{};
  std::unique_ptr<Device> device;
  Arenas arenas;
  Generator generator;
};

const std::vector<Prompt> prompts = {{{3}, 5, -1},           {{1, 2, 3, 4, 5, 6, 7}, 3, -1}, {{9, 9}, 11, -1},
                                     {{16, 0, 5, 1}, 1, -1}, {{2, 7, 1, 8, 2}, 8, 4},        {{0}, 12, -1},
                                     {{5, 5, 5}, 4, 0}};

template <int64_t batch, int64_t rows> void checkAnswers() {
  Model<batch, rows> model;
  const auto answers = model.generator.answer(prompts, {});
  ASSERT_EQ(answers.size(), prompts.size());
  for (size_t i = 0; i < prompts.size(); ++i)
    EXPECT_EQ(answers[i], expectedAnswer(prompts[i]))
        << "prompt " << i << ", batch " << batch << ", chunks of " << rows;
}

TEST(Generator, AnswersDoNotDependOnBatchAndChunks) {
  checkAnswers<1, 1>();
  checkAnswers<1, 5>();
  checkAnswers<2, 3>();
  checkAnswers<3, 12>();
  checkAnswers<16, 2>();
}

TEST(Generator, DrawnAnswersDoNotDependOnBatchAndChunks) {
  const Writing writing{1.0, 5, 0};
  const auto alone = Model<1, 1>().generator.answer(prompts, writing);
  EXPECT_EQ(alone, (Model<3, 4>().generator.answer(prompts, writing)));
  EXPECT_NE(alone, (Model<3, 4>().generator.answer(prompts, {1.0, 6, 0})));
  // Prompts of a part keep their numbers.
  const auto part = Model<3, 4>().generator.answer(std::span(prompts).subspan(2), {1.0, 5, 2});
  EXPECT_TRUE(std::equal(part.begin(), part.end(), alone.begin() + 2));
}

TEST(Generator, TakesChunksForPromptsAndSingleTokensElsewhere) {
  Model<1, 4> model;
  model.generator.answer(std::vector<Prompt>{{{1, 2, 3, 4, 5, 6}, 3, -1}}, {});
  ASSERT_EQ(calls.size(), 4u); // 4 + 2 tokens, and two of the answer
  EXPECT_EQ(calls[0].rows, 4);
  EXPECT_EQ(calls[1].rows, 4);
  EXPECT_EQ(calls[2].rows, 1);
  EXPECT_EQ(calls[3].rows, 1);
}

TEST(Generator, RefusesWhatDoesNotFit) {
  Model<2, 4> model;
  auto refused = [&](Prompt prompt) {
    return errorOf([&] { model.generator.answer(std::vector<Prompt>{{{1}, 1, -1}, std::move(prompt)}, {}); });
  };
  EXPECT_EQ(refused({std::vector<int32_t>(12), 1, -1}), "");
  EXPECT_EQ(
      refused({std::vector<int32_t>(13), 1, -1}),
      "prompt 2: a prompt must fit into the 12 tokens that the model was compiled for together with its answer, but "
      "has 13 for an answer of up to 1; compile with --length 13");
  EXPECT_EQ(refused({{1, 2}, 12, -1}).substr(0, 43), "prompt 2: a prompt must fit into the 12 tok");
  EXPECT_EQ(refused({{}, 1, -1}),
            "prompt 2: a prompt must have at least one token, and room for one of an answer, but has 0 "
            "and an answer of up to 1");
  EXPECT_EQ(refused({{3, 17}, 1, -1}), "prompt 2: tokens must be in 0..16, but got 17");
  model.program.decode_one.rows = 0;
  EXPECT_EQ(errorOf([&] { Generator another({model.program, *model.device, model.arenas}); }),
            "text can only be generated by a program with decode entries; compile the model with --decode");
}

TEST(Decoder, RefusesSequencesThatGrowTooLong) {
  Model<2, 4> model;
  Decoder decoder({model.program, *model.device, model.arenas});
  const std::vector<int32_t> some(4, 1), many(5, 1);
  std::vector<std::span<const int32_t>> tokens = {some, {}};
  for (int i = 0; i < 3; ++i)
    decoder.append(tokens);
  EXPECT_EQ(decoder.length(0), 12);
  EXPECT_EQ(decoder.length(1), 0);
  EXPECT_EQ(errorOf([&] { decoder.append(tokens); }),
            "a sequence can have at most the 12 tokens that the model was compiled for, but got 16");
  decoder.restart(0);
  tokens = {many, {}};
  EXPECT_EQ(errorOf([&] { decoder.append(tokens); }), "a sequence can grow by at most 4 tokens at a time, but got 5");
}

} // namespace
