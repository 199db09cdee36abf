// Which checkpoint a path into a run leads to.
#include "runtime/train/find_checkpoint.h"

#include "runtime/train/checkpoint.h"
#include "test/unit/runtime/small.h"

#include <fmt/format.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// A run directory with checkpoints of the steps 10, 20 and 30.
struct FindWeights : testing::Test {
  FindWeights() {
    SmallProgram program;
    for (int64_t step : {10, 20, 30})
      CheckpointFolder(ckpt, 3).save(program.state(), step, {{"spec_hash", "ab"}});
  }
  std::string file(int64_t step, const std::string &name) const {
    return fmt::format("{}/{:08}/{}.safetensors", ckpt, step, name);
  }
  std::string weights(int64_t step) const { return file(step, "weights"); }
  static void damage(const std::string &path) { poke(path, slurp(path).size() - 1, '\x7f'); }

  TemporaryFolder folder;
  const std::string ckpt = folder / "ckpt";
};

} // namespace

TEST_F(FindWeights, EveryPathIntoARunLeadsToTheNewest) {
  for (const std::string path :
       {"", "/", "/ckpt", "/ckpt/", "/ckpt/latest", "/ckpt/00000030", "/ckpt/00000030/weights.safetensors"}) {
    const FoundWeights found = findWeights(folder.path + path);
    EXPECT_EQ(std::filesystem::path(found.path).lexically_normal(), weights(30)) << path;
    ASSERT_TRUE(found.manifest) << path;
    EXPECT_EQ(found.manifest->step, 30) << path;
    EXPECT_TRUE(found.passedOver.empty() && found.warnings.empty()) << path;
  }
}

TEST_F(FindWeights, DamagedOnesArePassedOverAndTold) {
  damage(weights(30));
  damage(weights(20));
  const FoundWeights found = findWeights(folder.path);
  EXPECT_EQ(found.path, weights(10));
  EXPECT_EQ(found.passedOver, (std::vector<int64_t>{30, 20}));
  ASSERT_EQ(found.warnings.size(), 2u);
  EXPECT_EQ(found.warnings[0],
            fmt::format("checkpoint '{}/00000030' is refused: 'weights.safetensors' is damaged: the checksum "
                        "of tensor 'c' does not match",
                        ckpt));
  damage(weights(10));
  EXPECT_NE(errorOf([&] { findWeights(folder.path); }).find("must hold a good checkpoint, but has none; checkpoint"),
            std::string::npos);
}

TEST_F(FindWeights, ARunMayHaveNoCheckpointYet) {
  std::filesystem::remove_all(ckpt);
  spill(folder / "run.toml", "");
  const auto told = [&](int64_t step) {
    return fmt::format("'{}' has no checkpoint: its run has come to step {}, and writes one every --save-every steps "
                       "and at its end",
                       folder.path, step);
  };
  EXPECT_EQ(errorOf([&] { findWeights(folder.path); }), told(0));
  spill(folder / "metrics.jsonl", "{\"step\": 6}\n{\"step\": 7}\n{\"st");
  std::filesystem::create_directory(ckpt);
  EXPECT_EQ(errorOf([&] { findWeights(folder.path); }), told(7));
  std::filesystem::remove(folder / "run.toml");
  EXPECT_NE(errorOf([&] { findWeights(folder.path); }).find("must be a run directory"), std::string::npos);
}

TEST_F(FindWeights, DamageOfMomentsIsNone) {
  damage(file(30, "moments"));
  EXPECT_EQ(findWeights(folder.path).path, weights(30));
  EXPECT_NE(errorOf([&] { CheckpointFolder(ckpt, 3).verify(30); }), "");
}

TEST_F(FindWeights, WhatIsNamedIsCheckedHoweverItIsNamed) {
  damage(weights(30));
  std::filesystem::create_symlink(weights(30), folder / "link");
  std::filesystem::copy(ckpt + "/00000030", folder / "copy");
  for (const std::string &path : {ckpt + "/latest", ckpt + "/00000030", weights(30), folder / "link", folder / "copy"})
    EXPECT_NE(errorOf([&] { findWeights(path); }).find("is refused: 'weights.safetensors' is damaged"),
              std::string::npos)
        << path;
  std::filesystem::remove(ckpt + "/00000020/manifest.json");
  EXPECT_NE(errorOf([&] { findWeights(weights(20)); }).find("is refused: cannot open"), std::string::npos);
  std::filesystem::copy_file(ckpt + "/00000010/manifest.json", ckpt + "/00000020/manifest.json");
  EXPECT_NE(errorOf([&] { findWeights(weights(20)); }).find("must be of step 20, but got step 10"), std::string::npos);
}

TEST_F(FindWeights, ALinkInACheckpointIsToldAsOne) {
  std::filesystem::rename(weights(30), folder / "stored");
  std::filesystem::create_symlink(folder / "stored", weights(30));
  EXPECT_NE(errorOf([&] {
              findWeights(ckpt + "/00000030");
            }).find("is refused: cannot open '" + weights(30) + "': it must be a regular file, but is a link"),
            std::string::npos);
}

TEST_F(FindWeights, AFileFromElsewhereIsTakenAsItIs) {
  std::filesystem::copy_file(weights(30), folder / "own.safetensors");
  const FoundWeights found = findWeights(folder / "own.safetensors");
  EXPECT_EQ(found.path, folder / "own.safetensors");
  EXPECT_FALSE(found.manifest);
  EXPECT_EQ(findWeights(folder / "none").path, folder / "none");
}

TEST_F(FindWeights, LatestThatIsNotTheNewestIsTold) {
  spill(ckpt + "/latest", "00000010\n");
  const FoundWeights found = findWeights(ckpt + "/latest");
  EXPECT_EQ(found.path, weights(10));
  EXPECT_EQ(found.passedOver, (std::vector<int64_t>{30, 20}));
  EXPECT_EQ(found.warnings[0],
            fmt::format("checkpoint '{0}/00000030' is passed over, as '{0}/latest' names '00000010'", ckpt));
  EXPECT_EQ(findWeights(folder.path).path, weights(30));
  for (const std::string damaged : {"", "00000040\n", "../ckpt", "0000\n"}) {
    spill(ckpt + "/latest", damaged);
    EXPECT_NE(errorOf([&] { findWeights(ckpt + "/latest"); }).find("must name a checkpoint beside it"),
              std::string::npos)
        << damaged;
  }
}
