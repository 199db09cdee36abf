// A run directory is held by what writes it, and by nothing that failed.
#include "runtime/train/rundir.h"

#include "test/unit/runtime/small.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

TEST(RunDirectory, OneWriterHoldsIt) {
  TemporaryFolder folder;
  {
    const RunDirectory held(folder.path);
    EXPECT_THROW(checkFree(folder.path), Error);
    EXPECT_THROW(RunDirectory(folder.path), Error);
    EXPECT_NO_THROW(held.checkHeld());
  }
  EXPECT_NO_THROW(checkFree(folder.path));
}

TEST(RunDirectory, OneThatCannotBeWrittenIsNotHeld) {
  TemporaryFolder folder;
  spill(folder / "ckpt", "a file in place of a folder");
  EXPECT_THROW(RunDirectory(folder.path), Error);
  EXPECT_NO_THROW(checkFree(folder.path));
}

TEST(RunDirectory, ItsFilesAreKnownByTheirNames) {
  TemporaryFolder folder;
  const std::string run = folder / "run";
  for (const char *inner : {"build", "ckpt/00000040", "log", "own"})
    std::filesystem::create_directories(run + "/" + inner);
  EXPECT_FALSE(isFileOfRun(run + "/model.sha"));
  EXPECT_TRUE(isFileOfRun(run + "/model.sha", run));
  spill(run + "/spec.stretto", "");
  spill(run + "/run.toml", "");
  std::filesystem::create_symlink(run, folder / "link");
  std::filesystem::create_symlink(run + "/run.toml", folder / "settings");
  for (const char *path : {"run/run.toml", "run/spec.stretto", "run/lock", "run/metrics.jsonl", "run/build/program",
                           "run/build/options.txt", "run/ckpt/latest", "run/ckpt/00000040/manifest.json",
                           "run/ckpt/own", "run/log/rank-00.txt", "run/own/../model.sha", "link/model.sha", "settings"})
    EXPECT_TRUE(isFileOfRun(folder / path)) << path;
  for (const char *path : {"run.toml", "run/scores.jsonl", "run/own/run.toml", "run/build/own", "run/log/own", "link",
                           "run/program", "other/run.toml"})
    EXPECT_FALSE(isFileOfRun(folder / path)) << path;
}

} // namespace
