// Ranks that are started on this machine, as shells. In processes of their own: one that starts ranks has one thread.
#include "runtime/dist/spawn.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

using namespace stretto::runtime;

namespace {

// Rank 0 stops itself; when it has, rank 1 fails. The status of that, or 1 where rank 0 was waited for.
int startHalted(const std::string &pid) {
  const std::string script =
      "if [ $STRETTO_RANK = 0 ]; then echo $$ > $0.part; mv $0.part $0; kill -STOP $$; fi; "
      "until grep -q '^State:.T' /proc/$(cat $0)/status; do sleep 0.01; done 2> /dev/null; exit 3";
  RanksToStart what;
  what.program = "/bin/sh";
  what.arguments = {"sh", "-c", script, pid};
  what.ranks = 2;
  what.patience = std::chrono::minutes(1);
  const auto began = std::chrono::steady_clock::now();
  const int status = runRanks(what);
  return std::chrono::steady_clock::now() - began < what.patience / 2 ? status : 1;
}

} // namespace

TEST(SpawnDeathTest, ARankThatIsHaltedIsNotWaitedFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string pid = ::testing::TempDir() + "halted.pid";
  std::filesystem::remove(pid);
  EXPECT_EXIT(std::exit(startHalted(pid)), ::testing::ExitedWithCode(3), "rank 1 .* ended with status 3");
  std::filesystem::remove(pid);
}
