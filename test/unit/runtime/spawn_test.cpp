// Ranks that are started on this machine, as shells.
#include "runtime/dist/spawn.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

using namespace stretto::runtime;

// Rank 0 stops itself; when it has, rank 1 fails.
TEST(Spawn, ARankThatIsHaltedIsNotWaitedFor) {
  const std::string pid = ::testing::TempDir() + "halted.pid";
  std::filesystem::remove(pid);
  const std::string script =
      "if [ $STRETTO_RANK = 0 ]; then echo $$ > $0.part; mv $0.part $0; kill -STOP $$; fi; "
      "until grep -q '^State:.T' /proc/$(cat $0)/status; do sleep 0.01; done 2> /dev/null; exit 3";
  RanksToStart what;
  what.program = "/bin/sh";
  what.arguments = {"sh", "-c", script, pid};
  what.ranks = 2;
  what.patience = std::chrono::minutes(1);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(runRanks(what), 3);
  EXPECT_LT(std::chrono::steady_clock::now() - began, what.patience / 2);
  std::filesystem::remove(pid);
}
