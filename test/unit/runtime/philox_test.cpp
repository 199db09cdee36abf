// The random number generator against published answers.
#include "runtime/core/philox.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::runtime;

// Known answers of the Random123 distribution (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, PublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UniformStaysInsideItsEnds) {
  EXPECT_GT(openUniform(0, 0), 0);
  EXPECT_LT(openUniform(~0u, ~0u), 1);
  EXPECT_NEAR(openUniform(0x80000000u, 0), 0.5, 1e-15);
}
