// What a program needs of a device, found out without one.
#include "runtime/core/record.h"

#include "test/unit/runtime/ops.h"

using namespace stretto;
using namespace stretto::runtime;

namespace {

// Matmuls of one size whose results lie so far behind each other.
template <int64_t bytes> void threeMatmuls(stretto_context *context) {
  stretto_matmul_args args{};
  args.m = args.n = args.k = args.lda = args.ldb = args.ldc = 1;
  for (; args.c.offset < 3 * bytes; args.c.offset += bytes)
    stretto_matmul(context, &args);
}

size_t matmulsOf(void (*entry)(stretto_context *)) {
  stretto_program program{};
  program.arena_bytes[STRETTO_ARENA_ACTIVATIONS] = 4096;
  for (auto *each : {&program.gradients, &program.accumulate, &program.take_accumulated, &program.squares,
                     &program.norm, &program.apply, &program.evaluate, &program.round_parameters})
    *each = entry;
  return needsOf(program).matmuls.size();
}

} // namespace

TEST(Record, OpsOfOneSizeAreNeededOncePerAlignment) {
  EXPECT_EQ(matmulsOf(threeMatmuls<16>), 1u);
  EXPECT_EQ(matmulsOf(threeMatmuls<4>), 3u); // 16, 4 and 8 bytes
}
