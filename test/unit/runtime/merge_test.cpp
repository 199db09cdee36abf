// A checkpoint as one file, whoever wrote it.
#include "tools/export/merge.h"

#include "runtime/train/checkpoint.h"
#include "test/unit/runtime/small_ranks.h"

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

// Writes a checkpoint of this many ranks, which share the weights out, and returns its folder.
std::string written(const std::string &path, int ranks) {
  const CheckpointFolder checkpoints(path, 1, /*shareFrom=*/1);
  onRanks(ranks, [&](int rank, Group &group) {
    SmallRank own(rank, ranks);
    checkpoints.save(own.state(), 1, {}, group);
  });
  return checkpoints.folderOf(1);
}

std::string merged(const std::string &checkpoint, bool moments, const std::string &path) {
  tools::mergeCheckpoint(findWeights(checkpoint, CheckpointPart::all), moments, path);
  return slurp(path);
}

} // namespace

TEST(MergeCheckpoint, GivesWhatOneRankWrites) {
  TemporaryFolder folder;
  const std::string alone = written(folder / "1", 1);
  const std::string whole = merged(alone, true, folder / "whole");
  for (const int ranks : {1, 2, 3, 4, 8}) {
    const std::string checkpoint = written(folder / std::to_string(ranks), ranks);
    EXPECT_EQ(merged(checkpoint, false, folder / "weights"), slurp(alone + "/weights.safetensors")) << ranks;
    EXPECT_EQ(merged(checkpoint, true, folder / "all"), whole) << ranks;
  }
  const SafetensorsFile file(folder / "all");
  std::vector<std::string> names;
  for (const TensorEntry &entry : file.tensors())
    names.push_back(entry.name + shapeText(entry.shape));
  EXPECT_EQ(names, (std::vector<std::string>{"a[2, 3]", "b[4]", "c[2]", "a.moment1[2, 3]", "b.moment1[4]",
                                             "a.moment2[2, 3]", "b.moment2[4]"}));
  const SmallProgram program;
  std::vector<float> values(4);
  file.read(*file.find("b.moment2"), values.data());
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(values[i], program.values(STRETTO_ARENA_MOMENT2)[16 + i]);
}

TEST(MergeCheckpoint, MomentsOfNoWeightAreRefused) {
  TemporaryFolder folder;
  FoundWeights checkpoint = findWeights(written(folder / "ckpt", 3), CheckpointPart::all);
  std::erase_if(checkpoint.files, [](const std::string &path) { return path.ends_with("weights-0.safetensors"); });
  const std::string error = errorOf([&] { tools::mergeCheckpoint(checkpoint, true, folder / "all"); });
  EXPECT_NE(error.find("tensors, but holds 'a.moment1', which is none of them"), std::string::npos) << error;
  EXPECT_FALSE(pathExists(folder / "all"));
}
