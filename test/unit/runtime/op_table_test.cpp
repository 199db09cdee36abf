// Calls of the program table: buffers, names and costs.
#include "runtime/core/op_table.h"

#include "runtime/core/error.h"
#include "runtime/library/run.h"
#include "test/unit/runtime/ops.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// A call whose buffers lie in the arena as they lie in its struct.
template <typename Call> void expectTheOrderOfTheStruct(auto buffersIn, typename Call::Args args = {}) {
  Workbench bench(STRETTO_F32);
  const std::vector<stretto_buffer *> buffers = buffersIn(args);
  for (stretto_buffer *buffer : buffers)
    *buffer = {STRETTO_ARENA_ACTIVATIONS, 0, reinterpret_cast<char *>(buffer) - reinterpret_cast<char *>(&args)};
  Op op = Call{{args}};
  resolve(op, bench.arenas);
  const std::vector<const void *> addresses = buffersOf(op);
  ASSERT_EQ(addresses.size(), buffers.size()) << factsOf(op).name;
  EXPECT_TRUE(std::is_sorted(addresses.begin(), addresses.end())) << factsOf(op).name;
  for (size_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(addresses[i], bench.arenas.resolve(*buffers[i], 0)) << factsOf(op).name << " " << i;
}

std::vector<stretto_buffer *> ofAttention(stretto_attention_args &a) {
  return {&a.q, &a.k, &a.v, &a.o, &a.lse, &a.positions, &a.starts, &a.sinks, &a.share, &a.decay, &a.bias};
}

} // namespace

// Compiled programs number the buffers of a call so.
TEST(OpTable, BuffersHaveTheOrderOfTheArgumentStruct) {
  stretto_matmul_args matmul{};
  matmul.has_residual = 1;
  expectTheOrderOfTheStruct<MatmulOp>([](auto &a) { return std::vector{&a.a, &a.b, &a.c, &a.d}; }, matmul);
  stretto_attention_args attention{};
  attention.has_positions = attention.has_starts = attention.has_sinks = attention.has_decay = attention.reach = 1;
  expectTheOrderOfTheStruct<AttentionOp>(ofAttention, attention);
  stretto_attention_grad_args grad{};
  grad.forward = attention;
  expectTheOrderOfTheStruct<AttentionGradOp>(
      [](auto &a) {
        auto list = ofAttention(a.forward);
        list.insert(list.end(), {&a.d_o, &a.d_q, &a.d_k, &a.d_v, &a.d_decay, &a.d_bias});
        return list;
      },
      grad);
  expectTheOrderOfTheStruct<EmbedOp>([](auto &a) { return std::vector{&a.tokens, &a.table, &a.out}; });
  expectTheOrderOfTheStruct<EmbedGradOp>([](auto &a) { return std::vector{&a.tokens, &a.d_out, &a.d_table}; });
  expectTheOrderOfTheStruct<WriteCacheOp>(
      [](auto &a) { return std::vector{&a.from, &a.positions, &a.counts, &a.cache}; });
  expectTheOrderOfTheStruct<ReadCacheOp>([](auto &a) { return std::vector{&a.cache, &a.positions, &a.to}; });
  expectTheOrderOfTheStruct<LastRowOp>([](auto &a) { return std::vector{&a.from, &a.counts, &a.to}; });
  stretto_attention_step_args step{};
  step.has_sinks = step.has_decay = step.reach = 1;
  expectTheOrderOfTheStruct<AttentionStepOp>(
      [](auto &a) { return std::vector{&a.q, &a.k, &a.v, &a.positions, &a.counts, &a.o, &a.sinks, &a.decay, &a.bias}; },
      step);
  expectTheOrderOfTheStruct<CopyOp>([](auto &a) { return std::vector{&a.from, &a.to}; });
}

TEST(OpTable, ABufferThatIsNotThereHasANumberAndNoAddress) {
  Workbench bench(STRETTO_F32);
  Op op = MatmulOp{};
  resolve(op, bench.arenas);
  EXPECT_EQ(buffersOf(op).size(), 4u);
  EXPECT_EQ(buffersOf(op)[3], nullptr);
}

TEST(OpTable, ATensorReachesToTheEndOfItsLastRow) {
  EXPECT_EQ(bytesOf({"", {}, {2, 3, 5, 0}, 5, 3, STRETTO_F32}), 2 * 3 * 5 * 4);
  EXPECT_EQ(bytesOf({"", {}, {2, 3, 5, 0}, 8, 3, STRETTO_F64}), (5 * 8 + 5) * 8);
  EXPECT_EQ(bytesOf({"", {}, {7, 0, 0, 0}, 7, 1, STRETTO_BF16}), 7 * 2);
}

// What follows the last row in its stride need not be there.
TEST(OpTable, ACopyReachesToTheEndOfItsLastRow) {
  Workbench bench(STRETTO_F32, "cpu", 256);
  auto copyAt = [&](int64_t from, int64_t to) {
    Op op = CopyOp{{{2, 4, 16, 32, {STRETTO_ARENA_ACTIVATIONS, 0, from}, {STRETTO_ARENA_ACTIVATIONS, 0, to}}}};
    resolve(op, bench.arenas);
  };
  EXPECT_NO_THROW(copyAt(256 - 20, 0));
  EXPECT_THROW(copyAt(256 - 19, 0), Error);
  EXPECT_NO_THROW(copyAt(0, 256 - 36));
  EXPECT_THROW(copyAt(0, 256 - 35), Error);
}

TEST(OpTable, AnOperationThatNoLibraryHasIsNamed) {
  EXPECT_NO_THROW(expectKnown({}));
  try {
    expectKnown({{"mean.of_nothing", {}, {}, 0, {}, 0}});
    FAIL() << "it must be refused";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "the operation 'mean.of_nothing' must be known to a library that the program is linked "
                               "with, but none has it");
  }
}

TEST(OpTable, OperationsOfALibraryDifferByShape) {
  LibraryOp op;
  op.name = "mean.cumulative";
  op.tensors = {{"", {}, {2, 3, 5, 0}, 5, 3, STRETTO_F32}};
  const Sizes sizes = sizesOf(op);
  EXPECT_EQ(sizesOf(op), sizes);
  op.tensors[0].shape[1] = 4;
  EXPECT_NE(sizesOf(op), sizes);
}

TEST(OpTable, AlignmentCountsUpToSixteenBytes) {
  for (auto [address, alignment] :
       {std::pair<uintptr_t, int64_t>{4096, 16}, {48, 16}, {8, 8}, {4100, 4}, {2, 2}, {3, 1}})
    EXPECT_EQ(alignmentOf(reinterpret_cast<void *>(address)), alignment) << address;
}
