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

} // namespace
