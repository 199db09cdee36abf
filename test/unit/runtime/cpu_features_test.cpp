// Which CPU features a program needs and the machine lacks.
#include "runtime/core/cpu_features.h"

#include <gtest/gtest.h>

namespace stretto::runtime {
namespace {

TEST(CpuFeatures, NothingIsMissingWhereNothingIsNeeded) { EXPECT_EQ(missingCpuFeatures(""), ""); }

TEST(CpuFeatures, NamesThatDoNotMatterAreLeftOut) { EXPECT_EQ(missingCpuFeatures("aes,sha,,"), ""); }

// No CPU has both: XOP and FMA4 died with AMD's family 15h, before AVX-512 and APX.
TEST(CpuFeatures, WhatIsMissingIsNamedInOrder) {
  const std::string missing = missingCpuFeatures("fma4,egpr,xop");
  EXPECT_TRUE(missing == "fma4,egpr,xop" || missing == "egpr" || missing == "fma4,xop") << missing;
}

} // namespace
} // namespace stretto::runtime
