// Checkpoints that several ranks write and read together.
#include "runtime/train/checkpoint.h"

#include "runtime/train/checksum.h"
#include "runtime/train/load_weights.h"
#include "test/unit/runtime/small_ranks.h"

#include <fmt/format.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

const std::map<std::string, std::string> facts = {{"model", "small"}};
constexpr int manyRanks[] = {1, 2, 3, 4, 8};
constexpr int64_t shareAll = 1; // bytes from which on weights are shared out

// What ranks do with their states; the texts of the Errors that they throw, by rank.
using Work = std::function<void(const TrainingState &state, Group &group)>;
std::vector<std::string> onSmallRanks(std::vector<std::unique_ptr<SmallRank>> &all, const Work &work) {
  std::vector<std::string> errors(all.size());
  onRanks(static_cast<int>(all.size()), [&](int rank, Group &group) {
    errors[rank] = errorOf([&] { work(all[rank]->state(), group); });
    barrier(group);
  });
  return errors;
}

std::vector<std::unique_ptr<SmallRank>> makeRanks(int ranks, float first = 1) {
  std::vector<std::unique_ptr<SmallRank>> all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(std::make_unique<SmallRank>(rank, ranks, first));
  return all;
}

// Writes a checkpoint of this many ranks.
void save(const CheckpointFolder &folder, int ranks, int64_t step) {
  auto all = makeRanks(ranks);
  const auto errors =
      onSmallRanks(all, [&](const TrainingState &state, Group &group) { folder.save(state, step, facts, group); });
  ASSERT_EQ(errors, std::vector<std::string>(ranks));
}

// The error that each of three ranks meets when it reads a checkpoint; the same on all.
std::string restoreError(const CheckpointFolder &folder, int64_t step) {
  auto all = makeRanks(3, 500);
  const auto errors =
      onSmallRanks(all, [&](const TrainingState &state, Group &group) { folder.restore(state, step, group); });
  EXPECT_EQ(errors, std::vector<std::string>(3, errors[0]));
  return errors[0];
}

std::vector<std::string> namesIn(const CheckpointFolder &folder, int64_t step) {
  return listDirectory(folder.folderOf(step));
}

// Replaces a file of a checkpoint by one with these tensors, and what the manifest says of it.
void replaceTensors(const std::string &folder, const std::string &name, const std::vector<TensorEntry> &entries) {
  const std::vector<double> zeros(64);
  writeSafetensors(folder + "/" + name, entries, [&](const TensorEntry &) { return zeros.data(); });
  Manifest manifest = readManifestFile(folder, std::nullopt);
  for (ManifestFile &file : manifest.files)
    if (const std::string content = slurp(folder + "/" + name); file.name == name)
      file = {name, content.size(), checksumOf(content.data(), content.size()), {}};
  removeFile(folder + "/manifest.json");
  writeManifestFile(folder, manifest);
}

TensorEntry f32(const std::string &name, std::vector<int64_t> shape) { return {name, "F32", std::move(shape), 0, 0}; }

} // namespace

TEST(CheckpointOfRanks, AnyNumberReadsWhatAnyNumberWrote) {
  for (const int64_t shareFrom : {shareAll, int64_t(1) << 20})
    for (const int writers : manyRanks) {
      TemporaryFolder folder;
      const CheckpointFolder checkpoints(folder / "ckpt", 2, shareFrom);
      save(checkpoints, writers, 7);
      for (const int readers : manyRanks) {
        auto expected = makeRanks(readers), read = makeRanks(readers, 500);
        const auto errors = onSmallRanks(read, [&](const TrainingState &state, Group &group) {
          const auto newest =
              checkpoints.newest(CheckpointPart::all, [](int64_t, const std::string &text) { FAIL() << text; }, group);
          ASSERT_TRUE(newest);
          checkpoints.restore(state, newest->step, group);
        });
        ASSERT_EQ(errors, std::vector<std::string>(readers));
        for (int rank = 0; rank < readers; ++rank)
          EXPECT_EQ(read[rank]->numbers(), expected[rank]->numbers()) << writers << " wrote, " << rank << " reads";
      }
    }
}

TEST(CheckpointOfRanks, WhoHasNothingWritesNothing) {
  TemporaryFolder folder;
  const CheckpointFolder small(folder / "small", 1), shared(folder / "shared", 1, shareAll);
  save(small, 4, 1);
  EXPECT_EQ(namesIn(small, 1),
            (std::vector<std::string>{"manifest.json", "moments-0.safetensors", "moments-2.safetensors",
                                      "moments-3.safetensors", "weights.safetensors"}));
  save(shared, 2, 1);
  EXPECT_EQ(namesIn(shared, 1),
            (std::vector<std::string>{"manifest.json", "moments-0.safetensors", "moments-1.safetensors",
                                      "weights-0.safetensors", "weights-1.safetensors"}));
  std::vector<std::string> tensors;
  for (const ManifestFile &file : shared.verify(1).files)
    for (const ManifestTensor &tensor : file.tensors)
      tensors.push_back(tensor.name);
  EXPECT_EQ(tensors, (std::vector<std::string>{"a", "b", "c", "a.moment1@0", "a.moment2@0", "a.moment1@3", "b.moment1",
                                               "a.moment2@3", "b.moment2"}));
}

// The bytes of one rank are those of programs that knew of no others.
TEST(CheckpointOfRanks, OneWritesWhatItAlwaysWrote) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 2, shareAll);
  SmallProgram program;
  checkpoints.save(program.state(), 7, {{"model", "small"}, {"quoted \"\\", "\n\x01 \xc3\xa4"}});
  std::map<std::string, std::string> checksums;
  for (const std::string &name : namesIn(checkpoints, 7)) {
    const std::string content = slurp(checkpoints.folderOf(7) + "/" + name);
    checksums[name] = checksumOf(content.data(), content.size());
  }
  EXPECT_EQ(checksums,
            (std::map<std::string, std::string>{{"manifest.json", "8e33fd88e9a30dce3965673670f5745f"},
                                                {"moments.safetensors", "e3fa3f0e7bd038b65a10544631486e17"},
                                                {"weights.safetensors", "450a89b7e6ee43d1431ff8727381a129"}}));
}

// The Nth operation on files fails on one rank, for every N until a save passes, and for every rank: all are told the
// same, what was there stays good and is what is used, and nothing half-made is left.
TEST(CheckpointOfRanks, AnyFailureOnAnyRankIsToldToAll) {
  constexpr int ranks = 3;
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 2, shareAll);
  save(checkpoints, ranks, 1);
  save(checkpoints, ranks, 2);
  auto all = makeRanks(ranks);
  int64_t step = 3;
  for (int broken = 0; broken < ranks; ++broken) {
    bool passed = false;
    for (int failing = 0; !passed; ++failing, ++step) {
      ASSERT_LT(failing, 200);
      static thread_local int ownRank, operation;
      const std::vector<int64_t> before = checkpoints.steps();
      setFileGate([&](std::string_view name, const std::string &path) {
        if (ownRank == broken && operation++ == failing)
          failFile(std::string(name), path, ENOSPC);
      });
      const auto errors = onSmallRanks(all, [&](const TrainingState &state, Group &group) {
        ownRank = group.rank();
        operation = 0;
        if (const std::string left = checkpoints.save(state, step, facts, group); !left.empty())
          throw SharedError(left);
      });
      setFileGate(nullptr);
      passed = errors[0].empty();
      const std::string where = fmt::format("rank {}, operation {}: {}", broken, failing, errors[0]);
      ASSERT_EQ(errors, std::vector<std::string>(ranks, errors[0])) << where;
      EXPECT_TRUE(passed || errors[0].starts_with(fmt::format("rank {}: cannot ", broken)) ||
                  errors[0].starts_with(fmt::format("checkpoint '{}' is good, but", checkpoints.folderOf(step))))
          << where;
      EXPECT_TRUE(passed || errors[0].ends_with("No space left on device")) << where;
      EXPECT_FALSE(broken > 0 && !passed && checkpoints.steps() != before) << where;
      const std::vector<int64_t> after = checkpoints.steps();
      EXPECT_NO_THROW(checkpoints.verify(after[after.size() - 2])) << where;
      const auto used = checkpoints.newest(CheckpointPart::all, [&](int64_t, const std::string &) { FAIL() << where; });
      ASSERT_TRUE(used && used->step == after.back()) << where;
      for (const std::string &name : listDirectory(folder / "ckpt"))
        EXPECT_FALSE(name.starts_with(fmt::format(".tmp-{:08}", step))) << where;
    }
    EXPECT_GT(step, 5 * (broken + 1));
  }
  EXPECT_EQ(restoreError(checkpoints, step - 1), "");
}

// Ranks that do not divide the moments among them write nothing that could not be read.
TEST(CheckpointOfRanks, PartsThatAreNoWholeAreNotWritten) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  save(checkpoints, 2, 1);
  for (const auto &[second, told] : {std::pair(FlatRange{2, 32}, "must have each element once, but element 2 is in"),
                                     {{4, 32}, "must have all elements, but 3 to 3 are in no file"},
                                     {{3, 18}, "as F32[4], but holds parts of F32 with 2 elements"}}) {
    auto all = makeRanks(2);
    const auto errors = onSmallRanks(all, [&](TrainingState state, Group &group) {
      if (group.rank() == 1)
        state.moments = {second};
      checkpoints.save(state, 2, facts, group);
    });
    EXPECT_NE(errors[0].find(told), std::string::npos) << errors[0];
    EXPECT_EQ(errors, std::vector<std::string>(2, errors[0]));
    EXPECT_EQ(listDirectory(folder / "ckpt"), (std::vector<std::string>{"00000001", "latest"}));
  }
}

TEST(CheckpointOfRanks, DamageOfAnyFileIsToldToAll) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 2, shareAll);
  save(checkpoints, 3, 1);
  save(checkpoints, 3, 2);
  for (const std::string &name : namesIn(checkpoints, 2)) {
    const std::string path = checkpoints.folderOf(2) + "/" + name, good = slurp(path);
    const auto check = [&](const std::string &what) {
      auto all = makeRanks(3);
      std::vector<std::string> told(3);
      onSmallRanks(all, [&](const TrainingState &, Group &group) {
        const auto used = checkpoints.newest(
            CheckpointPart::all, [&](int64_t, const std::string &text) { told[group.rank()] += text; }, group);
        EXPECT_TRUE(used && used->step == 1);
        EXPECT_NE(errorOf([&] { checkpoints.verify(2, CheckpointPart::all, group); }), "");
      });
      EXPECT_NE(told[0].find(what), std::string::npos) << name << ": " << told[0];
      EXPECT_EQ(told, std::vector<std::string>(3, told[0]));
    };
    poke(path, good.size() - 3, static_cast<char>(good[good.size() - 3] ^ 4));
    check(name == "manifest.json" ? "the manifest's checksum does not match" : "'" + name + "' is damaged");
    std::filesystem::remove(path);
    check(name);
    spill(path, good);
  }
}

TEST(CheckpointOfRanks, PartsThatDoNotFitTogetherAreRefused) {
  const std::vector<TensorEntry> good = {f32("a.moment1@3", {3}), f32("b.moment1@0", {1}), f32("a.moment2@3", {3}),
                                         f32("b.moment2@0", {1})};
  const auto refusal = [&](size_t changed, const TensorEntry &entry) {
    TemporaryFolder folder;
    const CheckpointFolder checkpoints(folder / "ckpt", 1);
    save(checkpoints, 3, 1);
    std::vector<TensorEntry> entries = good;
    entries[changed] = entry;
    replaceTensors(checkpoints.folderOf(1), "moments-1.safetensors", entries);
    std::string error = restoreError(checkpoints, 1);
    const size_t at = error.find(folder.path);
    return at == std::string::npos ? error : error.erase(at, folder.path.size());
  };
  EXPECT_EQ(refusal(0, good[0]), "");
  EXPECT_EQ(
      refusal(0, f32("a.moment1@2", {4})),
      "'a.moment1' in '/ckpt/00000001' must have each element once, but element 2 is in 'moments-0.safetensors' and "
      "in 'moments-1.safetensors'");
  EXPECT_EQ(refusal(0, f32("a.moment1@4", {2})),
            "'a.moment1' in '/ckpt/00000001' must have all elements, but 3 to 3 are in no file");
  EXPECT_EQ(refusal(0, f32("a.moment1@3", {2})),
            "'/ckpt/00000001' must hold 'a.moment1' as F32[2, 3], but holds parts of F32 with 5 elements");
  EXPECT_EQ(
      refusal(1, f32("b.moment1@0", {2})),
      "'b.moment1' in '/ckpt/00000001' must have each element once, but element 1 is in 'moments-1.safetensors' and "
      "in 'moments-2.safetensors'");
  EXPECT_EQ(refusal(3, f32("x", {1})),
            "'b.moment2' in '/ckpt/00000001' must have all elements, but 0 to 0 are in no file");
  EXPECT_EQ(refusal(2, {"a.moment2@3", "F64", {3}, 0, 0}),
            "'a.moment2' in '/ckpt/00000001' must have one type, but is F32 in 'moments-0.safetensors' and F64 in "
            "'moments-1.safetensors'");
}

TEST(CheckpointOfRanks, WhatBelongsToNoTensorIsRefused) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  save(checkpoints, 1, 1);
  const auto refusal = [&](const std::vector<TensorEntry> &entries) {
    replaceTensors(checkpoints.folderOf(1), "weights.safetensors", entries);
    return restoreError(checkpoints, 1);
  };
  EXPECT_NE(refusal({f32("a", {2, 3}), f32("b", {4})}).find("must hold 'c' as F32[2], but has no such tensor"),
            std::string::npos);
  EXPECT_NE(refusal({f32("a", {3, 2}), f32("b", {4}), f32("c", {2})}).find("but holds F32[3, 2]"), std::string::npos);
  EXPECT_NE(refusal({f32("a", {2, 3}), f32("b", {4}), f32("c", {2}), f32("d", {2})})
                .find("must hold 3 tensors, but holds 'd'"),
            std::string::npos);
}

TEST(CheckpointOfRanks, AManifestListsFilesOfCheckpointsOnce) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  save(checkpoints, 1, 1);
  const std::string at = checkpoints.folderOf(1);
  const Manifest good = checkpoints.verify(1);
  const auto refusal = [&](std::vector<ManifestFile> files) {
    removeFile(at + "/manifest.json");
    writeManifestFile(at, {1, facts, std::move(files)});
    return errorOf([&] { checkpoints.verify(1); });
  };
  for (const char *name : {"other", "weights", "weights-.safetensors", "weights-x.safetensors", "weightsafetensors"})
    EXPECT_EQ(refusal({good.files[0], {name, 0, "", {}}}),
              fmt::format("the manifest must list files of weights and moments, but lists '{}'", name));
  EXPECT_EQ(refusal({good.files[0], good.files[0]}),
            "the manifest must list each file once, but lists 'weights.safetensors' twice");
  EXPECT_EQ(refusal({good.files[1]}), "the manifest must list files of weights, but lists none");
  EXPECT_EQ(refusal(good.files), "");
}

TEST(CheckpointOfRanks, WeightsInSeveralFilesAreFoundTogether) {
  TemporaryFolder folder;
  const std::string ckpt = folder / "ckpt";
  const CheckpointFolder checkpoints(ckpt, 2, shareAll);
  save(checkpoints, 2, 1);
  save(checkpoints, 2, 2);
  const std::string newest = ckpt + "/00000002", shard = newest + "/weights-1.safetensors";
  for (const std::string &path : {folder.path, ckpt, ckpt + "/latest", newest, shard}) {
    onRanks(3, [&](int, Group &group) {
      const FoundWeights found = findWeights(path, group);
      EXPECT_EQ(found.path, newest);
      EXPECT_EQ(found.files, (std::vector<std::string>{newest + "/weights-0.safetensors", shard}));
      ASSERT_TRUE(found.manifest);
      EXPECT_EQ(found.manifest->step, 2);
      SmallProgram read(500), written;
      loadWeights(read.state(), found);
      for (const int i : {0, 5, 16, 19, 32, 33})
        EXPECT_EQ(read.values(STRETTO_ARENA_PARAMETERS)[i], written.values(STRETTO_ARENA_PARAMETERS)[i]);
    });
  }
  spill(newest + "/weights-2.safetensors", "");
  EXPECT_NE(errorOf([&] {
              findWeights(newest + "/weights-2.safetensors");
            }).find("the manifest must list 'weights-2.safetensors', but does not"),
            std::string::npos);
  poke(shard, slurp(shard).size() - 1, '\x7f');
  onRanks(3, [&](int, Group &group) {
    const FoundWeights found = findWeights(folder.path, group);
    EXPECT_EQ(found.folder, ckpt + "/00000001");
    EXPECT_EQ(found.passedOver, (std::vector<int64_t>{2}));
    EXPECT_NE(found.warnings.at(0).find("'weights-1.safetensors' is damaged: the checksum of tensor"),
              std::string::npos);
    EXPECT_NE(errorOf([&] { findWeights(newest, group); }).find("is refused: 'weights-1.safetensors' is damaged"),
              std::string::npos);
  });
}
