// Rounding to bf16, and matmuls of bf16 matrices.
#include "runtime/core/bf16.h"
#include "runtime/core/finite.h"
#include "test/unit/runtime/ops.h"
#include "test/unit/runtime/small.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

std::vector<double> valuesOf(const std::vector<Bf16> &numbers) { return {numbers.begin(), numbers.end()}; }

struct Matmul {
  stretto_matmul_args args;
  std::vector<double> expected;
  bool elsewhere = false; // whether what is added is D, not C
};

// Rows of A, B and C are wider than what is multiplied; the gaps of C must stay.
Matmul makeMatmul(int64_t m, int64_t n, int64_t k, int bits, int32_t dtypeC) {
  Matmul matmul{};
  stretto_matmul_args &args = matmul.args;
  args.m = m, args.n = n, args.k = k, args.transpose_a = bits & 1, args.transpose_b = bits >> 1 & 1;
  args.accumulate = bits >> 2 & 1, args.dtype = STRETTO_BF16, args.dtype_c = dtypeC;
  args.lda = (args.transpose_a ? m : k) + 3, args.ldb = (args.transpose_b ? k : n) + 5, args.ldc = n + 2;
  const auto a = valuesOf(randomReals<Bf16>((args.transpose_a ? k : m) * args.lda, 1));
  const auto b = valuesOf(randomReals<Bf16>((args.transpose_b ? n : k) * args.ldb, 2));
  matmul.expected = valuesOf(randomReals<Bf16>(m * args.ldc, 3));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = args.accumulate ? matmul.expected[i * args.ldc + j] : 0.0;
      for (int64_t l = 0; l < k; ++l)
        sum += a[args.transpose_a ? l * args.lda + i : i * args.lda + l] *
               b[args.transpose_b ? j * args.ldb + l : l * args.ldb + j];
      matmul.expected[i * args.ldc + j] = sum;
    }
  return matmul;
}

std::vector<double> run(Matmul matmul, int threads, const char *device) {
  Workbench bench(STRETTO_F32, device);
  bench.device->setThreads(threads);
  stretto_matmul_args &args = matmul.args;
  const auto c = randomReals<Bf16>(args.m * args.ldc, 3);
  args.a = bench.place(randomReals<Bf16>((args.transpose_a ? args.k : args.m) * args.lda, 1));
  args.b = bench.place(randomReals<Bf16>((args.transpose_b ? args.n : args.k) * args.ldb, 2));
  const auto wide = valuesOf(c);
  auto place = [&] {
    return args.dtype_c == STRETTO_BF16 ? bench.place(c) : bench.place(std::vector<float>(wide.begin(), wide.end()));
  };
  args.c = place();
  if (matmul.elsewhere) {
    args.accumulate = 0, args.has_residual = 1, args.d = args.c, args.ldd = args.ldc;
    args.c = place();
  }
  stretto_matmul(&bench.context, &args);
  if (args.dtype_c == STRETTO_BF16)
    return valuesOf(bench.read<Bf16>(args.c, args.m * args.ldc));
  const auto result = bench.read<float>(args.c, args.m * args.ldc);
  return {result.begin(), result.end()};
}

} // namespace

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(roundToBf16(1.0f), 0x3f80);
  EXPECT_EQ(roundToBf16(1.0f + 0x1p-8f), 0x3f80);            // a tie, down to even
  EXPECT_EQ(roundToBf16(1.0f + 0x3p-8f), 0x3f82);            // a tie, up to even
  EXPECT_EQ(roundToBf16(1.0f + 0x1p-8f + 0x1p-20f), 0x3f81); // above a tie
  EXPECT_EQ(roundToBf16(3.4e38f), 0x7f80);                   // beyond the largest: infinity
  EXPECT_EQ(roundToBf16(-INFINITY), 0xff80);
  EXPECT_TRUE(std::isnan(widenBf16(roundToBf16(std::bit_cast<float>(0x7f800001u)))));
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    if (!std::isnan(widenBf16(static_cast<uint16_t>(bits)))) {
      ASSERT_EQ(roundToBf16(widenBf16(static_cast<uint16_t>(bits))), bits);
    }
}

TEST(Bf16, MatmulsAgreeWithLoops) {
  for (int32_t dtypeC : {STRETTO_F32, STRETTO_BF16})
    for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {7, 3, 5}, {130, 65, 33}, {96, 200, 257}})
      for (int bits = 0; bits < 8; ++bits) {
        const Matmul matmul = makeMatmul(m, n, k, bits, dtypeC);
        EXPECT_LE(relativeError(run(matmul, 2, "cpu"), matmul.expected),
                  dtypeC == STRETTO_BF16 ? tolerance<Bf16>() : tolerance<float>())
            << m << "x" << n << "x" << k << " case " << bits << " C " << dtypeC;
      }
}

TEST(Bf16, AResidualIsAddedAsCIs) {
  for (int32_t dtypeC : {STRETTO_F32, STRETTO_BF16}) {
    Matmul matmul = makeMatmul(130, 65, 33, 6, dtypeC);
    const auto expected = run(matmul, 2, "cpu");
    matmul.elsewhere = true;
    EXPECT_EQ(run(matmul, 2, "cpu"), expected);
  }
}

TEST(Bf16, BitsDoNotDependOnThreadsOrDevice) {
  const Matmul matmul = makeMatmul(600, 96, 64, 5, STRETTO_BF16);
  const auto one = run(matmul, 1, "cpu");
  EXPECT_EQ(one, run(matmul, 3, "cpu"));
  EXPECT_EQ(one, run(matmul, 2, "null-async"));
}

// A NaN is found in the type and in the copy of the weights that the op works with, and the weight is named.
TEST(Bf16, TheFiniteCheckReadsTypes) {
  SmallProgram program;
  program.program.arena_bytes[STRETTO_ARENA_ROUNDED] = 48 * 2;
  const std::unique_ptr<Device> device = makeDevice("cpu");
  const Arenas arenas(*device, program.program, false);
  FiniteCheck check(arenas, program.program);
  device->observe(&check);
  auto *weights = static_cast<uint16_t *>(arenas.base(STRETTO_ARENA_ROUNDED));
  weights[17] = roundToBf16(INFINITY); // the second number of b
  const stretto_result result = {"linear", "a.stretto:7:3",           "",           2, 1, 1, 4, 4, {1, 2, 0, 0},
                                 2,        STRETTO_ARENA_ACTIVATIONS, STRETTO_BF16, 0};
  const stretto_site site{&result, 1};
  auto *ones = static_cast<uint16_t *>(arenas.base(STRETTO_ARENA_ACTIVATIONS));
  ones[0] = roundToBf16(1);
  MatmulOp matmul;
  matmul.dtype = matmul.dtype_c = STRETTO_BF16;
  matmul.m = matmul.k = matmul.lda = matmul.ldb = 1, matmul.n = matmul.ldc = 2, matmul.transpose_b = true;
  matmul.a = ones, matmul.b = weights + 16, matmul.c = ones + 32;
  EXPECT_EQ(
      errorOf([&] { device->submit(matmul, {&site, -1}); }),
      "the first NaN or infinity was written by linear at a.stretto:7:3 with weight 'b': element [0, 1] of [1, 2] "
      "is inf");
}
