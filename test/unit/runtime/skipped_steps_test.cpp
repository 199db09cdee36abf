// Which skipped steps are told.
#include "runtime/train/skipped_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace stretto::runtime;

TEST(SkippedSteps, TheFirstAreToldThenTheirNumber) {
  SkippedSteps skipped;
  EXPECT_EQ(skipped.rest(), "");
  std::vector<int64_t> told;
  std::string text;
  for (int64_t step = 11; step <= 50; ++step)
    if (const std::string line = skipped.add(step, NAN, INFINITY); !line.empty()) {
      told.push_back(step - 10);
      text = line;
      EXPECT_EQ(skipped.rest(), "");
    }
  EXPECT_EQ(told, (std::vector<int64_t>{1, 2, 3, 4, 8, 16, 32}));
  EXPECT_EQ(text, "step 42 is skipped: its loss (nan) or the norm of its gradients (inf) is not finite; 32 steps have "
                  "been skipped, and not each further one is told");
  EXPECT_EQ(skipped.rest(), "40 steps have been skipped, the last of them step 50");
}
