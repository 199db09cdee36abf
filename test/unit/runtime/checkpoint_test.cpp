// Checkpoints: written, restored, damaged, interrupted.
#include "runtime/train/checkpoint.h"

#include "runtime/train/load_weights.h"
#include "test/unit/runtime/small.h"

#include <algorithm>
#include <fmt/format.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

const std::map<std::string, std::string> facts = {{"model", "small"}, {"quoted \"\\", "\n\x01 \xc3\xa4"}};

std::string newestError(const CheckpointFolder &folder) {
  std::string all;
  folder.newest(CheckpointPart::all, [&](int64_t, const std::string &text) { all += text + "\n"; });
  return all;
}

} // namespace

TEST(Manifest, TellsWhereMatmulsAreComputedInAnotherWay) {
  const std::map<std::string, std::string> tiles = {{"matmuls", "tiles"}}, mkl = {{"matmuls", "MKL"}};
  EXPECT_EQ(otherMatmuls(tiles, mkl),
            "matmuls of this run were computed by tiles, and on this machine are by MKL: from "
            "here on, bits are not those of the machine before");
  EXPECT_EQ(otherMatmuls(tiles, tiles), "");
  EXPECT_EQ(otherMatmuls(facts, mkl), "");
  EXPECT_EQ(otherMatmuls(mkl, facts), "");
}

TEST(Manifest, ReadsWhatItWrites) {
  const Manifest manifest{12, facts, {{"weights.safetensors", 7, "ab", {{"x", 1, 2, "cd"}, {"y\"", 2, 7, "ef"}}}}};
  const Manifest again = readManifest(writeManifest(manifest));
  EXPECT_EQ(again.step, 12);
  EXPECT_EQ(again.facts, facts);
  ASSERT_EQ(again.files.size(), 1u);
  EXPECT_EQ(again.files[0].tensors[1].name, "y\"");
  EXPECT_EQ(again.files[0].tensors[1].end, 7u);
}

TEST(Manifest, SaysHowManyStepsChangedTheWeights) {
  EXPECT_EQ(updatesOf({12, {{"updates", "9"}}, {}}), 9);
  EXPECT_EQ(updatesOf({12, facts, {}}), 12) << "older ones do not say";
  for (const char *text : {"", "nine", "9 of 12"})
    EXPECT_EQ(errorOf([&] { updatesOf({12, {{"updates", text}}, {}}); }),
              fmt::format("the checkpoint's 'updates' must be a whole number, but got '{}'", text));
}

TEST(Manifest, EveryBitFlipAndTruncationIsSeen) {
  const std::string good = writeManifest({12, facts, {{"weights.safetensors", 7, "ab", {{"x", 1, 2, "cd"}}}}});
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    EXPECT_NE(errorOf([&] { readManifest(bad); }), "") << "bit " << bit;
  }
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(errorOf([&] { readManifest(good.substr(0, length)); }), "") << "length " << length;
}

TEST(Checkpoint, RestoresTheBits) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 2);
  SmallProgram written(1), read(500);
  checkpoints.save(written.state(), 7, facts);
  const auto manifest = checkpoints.newest(CheckpointPart::all, [](int64_t, const std::string &) { FAIL(); });
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->step, 7);
  EXPECT_EQ(manifest->facts, facts);
  checkpoints.restore(read.state(), 7);
  for (stretto_arena arena : {STRETTO_ARENA_PARAMETERS, STRETTO_ARENA_MOMENT1, STRETTO_ARENA_MOMENT2})
    for (int64_t i : {0, 5, 16, 19})
      EXPECT_EQ(read.values(arena)[i], written.values(arena)[i]);
  EXPECT_EQ(read.values(STRETTO_ARENA_PARAMETERS)[33], written.values(STRETTO_ARENA_PARAMETERS)[33]);
  EXPECT_EQ(slurp(folder / "ckpt/latest"), "00000007\n");
}

TEST(Checkpoint, KeepsTheNewest) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 2);
  SmallProgram program;
  for (int64_t step : {10, 20, 30, 40})
    checkpoints.save(program.state(), step, facts);
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{30, 40}));
  EXPECT_EQ(listDirectory(folder / "ckpt"), (std::vector<std::string>{"00000030", "00000040", "latest"}));
}

// Every single bit of every file of a checkpoint: the checkpoint is refused and the one before it is used.
TEST(Checkpoint, EveryBitFlipIsSeen) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 2);
  SmallProgram program;
  checkpoints.save(program.state(), 1, facts);
  checkpoints.save(program.state(), 2, facts);
  int64_t flips = 0;
  for (const std::string name : {"weights.safetensors", "moments.safetensors", "manifest.json"}) {
    const std::string path = checkpoints.folderOf(2) + "/" + name, good = slurp(path);
    for (size_t bit = 0; bit < good.size() * 8; ++bit, ++flips) {
      poke(path, bit / 8, static_cast<char>(good[bit / 8] ^ 1 << bit % 8));
      ASSERT_NE(errorOf([&] { checkpoints.verify(2); }), "") << name << " bit " << bit;
      if (bit % 8 == 7)
        poke(path, bit / 8, good[bit / 8]);
    }
    poke(path, 0, static_cast<char>(good[0] ^ 1));
    const auto used = checkpoints.newest(CheckpointPart::all, [](int64_t, const std::string &) {});
    ASSERT_TRUE(used);
    EXPECT_EQ(used->step, 1);
    poke(path, 0, good[0]);
  }
  EXPECT_EQ(errorOf([&] { checkpoints.verify(2); }), "");
  EXPECT_GT(flips, 13000);
}

TEST(Checkpoint, TruncationIsSeenAndNamed) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 2);
  SmallProgram program;
  checkpoints.save(program.state(), 2, facts);
  for (const std::string name : {"weights.safetensors", "moments.safetensors", "manifest.json"}) {
    const std::string path = checkpoints.folderOf(2) + "/" + name, good = slurp(path);
    for (size_t length = 0; length < good.size(); ++length) {
      std::filesystem::resize_file(path, good.size() - 1 - length);
      ASSERT_NE(errorOf([&] { checkpoints.verify(2); }), "") << name << " cut by " << length + 1;
    }
    std::filesystem::remove(path);
    EXPECT_NE(newestError(checkpoints).find(name), std::string::npos);
    spill(path, good);
  }
}

TEST(Checkpoint, DamageNamesTheTensor) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 2);
  SmallProgram program;
  checkpoints.save(program.state(), 2, facts);
  const std::string path = checkpoints.folderOf(2) + "/weights.safetensors";
  std::string content = slurp(path);
  content.back() = static_cast<char>(content.back() ^ 1);
  spill(path, content);
  EXPECT_EQ(newestError(checkpoints),
            fmt::format("checkpoint '{}' is refused: 'weights.safetensors' is damaged: the checksum of tensor 'c' does "
                        "not match\n",
                        checkpoints.folderOf(2)));
}

TEST(Checkpoint, AForeignCheckpointIsRefused) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 5);
  SmallProgram program;
  checkpoints.save(program.state(), 2, facts);
  std::filesystem::copy(checkpoints.folderOf(2), checkpoints.folderOf(3));
  EXPECT_NE(newestError(checkpoints).find("must be of step 3, but got step 2"), std::string::npos);
  stretto_parameter renamed[3] = {program.program.parameters[0], program.program.parameters[1],
                                  program.program.parameters[2]};
  renamed[1].name = "d";
  program.program.parameters = renamed;
  EXPECT_NE(errorOf([&] { checkpoints.restore(program.state(), 2); }).find("must hold 'd' as F32[4]"),
            std::string::npos);
}

TEST(Checkpoint, ADamagedOneOfTheSameStepIsReplaced) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 3);
  SmallProgram program;
  checkpoints.save(program.state(), 2, facts);
  spill(checkpoints.folderOf(2) + "/manifest.json", "{}");
  checkpoints.save(program.state(), 2, facts);
  EXPECT_EQ(newestError(checkpoints), "");
  EXPECT_EQ(listDirectory(folder / "ckpt").size(), 2u);
}

static void throwWhatIsLeft(const std::string &left) {
  if (!left.empty())
    throw Error(left);
}

// The Nth operation on files fails, for every N until a save passes: the checkpoint before it stays good and
// the next save works.
TEST(Checkpoint, AnyFailingOperationLeavesEarlierCheckpointsIntact) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  SmallProgram program(1), read(0);
  checkpoints.save(program.state(), 1, facts);
  int64_t step = 2;
  bool passed = false;
  for (int failing = 0; !passed; ++failing, ++step) {
    int operation = 0;
    setFileGate([&](std::string_view name, const std::string &path) {
      if (operation++ == failing)
        failFile(std::string(name), path, ENOSPC);
    });
    passed = errorOf([&] { throwWhatIsLeft(checkpoints.save(program.state(), step, facts)); }).empty();
    setFileGate(nullptr);
    const auto used = checkpoints.newest(CheckpointPart::all, [](int64_t, const std::string &text) { FAIL() << text; });
    ASSERT_TRUE(used) << "operation " << failing;
    ASSERT_NO_THROW(checkpoints.restore(read.state(), used->step));
    checkpoints.clean();
    ASSERT_LT(failing, 200);
  }
  EXPECT_GT(step, 15);
}

// What a save does to files, as `operation name` without folders.
static std::vector<std::string> operationsOf(const std::function<void()> &action) {
  std::vector<std::string> operations;
  setFileGate([&](std::string_view name, const std::string &path) {
    operations.push_back(fmt::format("{} {}", name, path.substr(path.rfind('/') + 1)));
  });
  action();
  setFileGate(nullptr);
  return operations;
}

TEST(Checkpoint, FilesAreSyncedBeforeTheirFolderHasItsName) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  SmallProgram program;
  const std::vector<std::string> operations = operationsOf([&] { checkpoints.save(program.state(), 1, facts); });
  const auto named = std::find(operations.begin(), operations.end(), "rename 00000001");
  ASSERT_NE(named, operations.end());
  int files = 0;
  for (auto at = operations.begin(); at != named; ++at)
    if (at->starts_with("create ")) {
      EXPECT_NE(std::find(at, named, "sync " + at->substr(7)), named) << *at;
      ++files;
    }
  EXPECT_EQ(files, 3); // weights, moments, the manifest
}

TEST(Checkpoint, NamesAreSyncedBeforeOthersDependOnThem) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  SmallProgram program;
  const std::string parent = folder.path.substr(folder.path.rfind('/') + 1);
  std::vector<std::string> first = operationsOf([&] { checkpoints.save(program.state(), 1, facts); });
  EXPECT_EQ((std::vector<std::string>{first[0], first[1]}), (std::vector<std::string>{"mkdir ckpt", "sync " + parent}));
  const std::vector<std::string> again = operationsOf([&] { makeDirectory(folder / "ckpt"); });
  EXPECT_EQ(again, (std::vector<std::string>{"mkdir ckpt", "sync " + parent}));
  std::vector<std::string> second = operationsOf([&] { checkpoints.save(program.state(), 2, facts); });
  const auto hidden = std::find(second.begin(), second.end(), "rename .tmp-old-00000001");
  ASSERT_LT(hidden + 1, second.end());
  EXPECT_EQ(hidden[1], "sync ckpt");
}

TEST(Checkpoint, AnInterruptedSaveIsSettled) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  SmallProgram program;
  checkpoints.save(program.state(), 1, facts);
  setFileGate([&](std::string_view name, const std::string &path) {
    if (name == "create" && path.find("latest") != std::string::npos)
      failFile("create", path, ENOSPC);
  });
  const std::string left = checkpoints.save(program.state(), 2, facts);
  EXPECT_TRUE(left.starts_with(fmt::format("checkpoint '{}' is good, but", checkpoints.folderOf(2)))) << left;
  setFileGate(nullptr);
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(checkpoints.settle(2), "");
  EXPECT_EQ(checkpoints.steps(), (std::vector<int64_t>{2}));
  EXPECT_EQ(slurp(folder / "ckpt/latest"), "00000002\n");
}

// A run goes on only where it is known which checkpoints there are.
TEST(Checkpoint, AFolderThatCannotBeListedIsNotTakenForAnEmptyOne) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  SmallProgram program;
  checkpoints.save(program.state(), 1, facts);
  setFileGate([](std::string_view name, const std::string &path) {
    if (name == "list")
      failFile("list", path, EIO);
  });
  const std::string told = fmt::format("cannot list '{}': Input/output error", folder / "ckpt");
  EXPECT_EQ(errorOf([&] { checkpoints.steps(); }), told);
  EXPECT_EQ(errorOf([&] { newestError(checkpoints); }), told);
  EXPECT_EQ(errorOf([&] { checkpoints.clean(); }), told);
  setFileGate(nullptr);
  EXPECT_EQ(checkpoints.steps(), std::vector<int64_t>{1});
}

// A notebook leaves folders where it looks, and a user may make a link of what names the newest.
TEST(Checkpoint, FoldersAndLinksOfOthersHinderNothing) {
  TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder / "ckpt", 1);
  SmallProgram program;
  checkpoints.save(program.state(), 1, facts);
  spill(folder / "kept", "x");
  std::filesystem::create_directories(checkpoints.folderOf(1) + "/.ipynb_checkpoints/inner");
  std::filesystem::create_directory_symlink(folder.path, checkpoints.folderOf(1) + "/.ipynb_checkpoints/link");
  removeFile(folder / "ckpt/latest");
  std::filesystem::create_symlink("00000001", folder / "ckpt/latest");
  for (const char *name : {".tmp-00000001-7", ".tmp-old-00000003", ".tmp-own", ".tmp-2024"})
    std::filesystem::create_directories(folder / "ckpt/" + name + "/inner");
  EXPECT_EQ(checkpoints.save(program.state(), 2, facts), "");
  checkpoints.clean();
  EXPECT_EQ(listDirectory(folder / "ckpt"), (std::vector<std::string>{".tmp-2024", ".tmp-own", "00000002", "latest"}));
  EXPECT_EQ(slurp(folder / "ckpt/latest"), "00000002\n");
  EXPECT_EQ(slurp(folder / "kept"), "x");
}

TEST(Checkpoint, WeightsOfAUserAreConvertedAndChecked) {
  TemporaryFolder folder;
  SmallProgram program;
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {7, 8, 9, 10}, c = {11, 12};
  auto data = [&](const TensorEntry &entry) -> const void * {
    return entry.name == "a" ? a.data() : entry.name == "b" ? b.data() : c.data();
  };
  auto load = [&](std::vector<TensorEntry> entries) {
    writeSafetensors(folder / "w", std::move(entries), data);
    return errorOf([&] { loadWeights(program.state(), findWeights(folder / "w")); });
  };
  EXPECT_EQ(load({{"a", "F64", {2, 3}, 0, 0}, {"b", "F64", {4}, 0, 0}, {"c", "F64", {2}, 0, 0}}), "");
  EXPECT_EQ(program.values(STRETTO_ARENA_PARAMETERS)[17], 8);
  EXPECT_EQ(program.values(STRETTO_ARENA_PARAMETERS)[33], 12);
  EXPECT_NE(load({{"a", "F64", {2, 3}, 0, 0}, {"c", "F64", {2}, 0, 0}}).find("got no 'b'"), std::string::npos);
  EXPECT_NE(load({{"a", "F64", {3, 2}, 0, 0}, {"b", "F64", {4}, 0, 0}, {"c", "F64", {2}, 0, 0}})
                .find("must have shape [2, 3], but got [3, 2]"),
            std::string::npos);
  EXPECT_NE(
      load({{"a", "F64", {2, 3}, 0, 0}, {"b", "F64", {4}, 0, 0}, {"c", "F64", {2}, 0, 0}, {"aa", "F64", {1}, 0, 0}})
          .find("got 'aa'; did you mean 'a'?"),
      std::string::npos);
  const std::vector<TensorEntry> whole = {{"a", "F64", {2, 3}, 0, 0}, {"b", "F64", {4}, 0, 0}, {"c", "F64", {2}, 0, 0}};
  const auto loadWith = [&](const std::string &name) {
    std::vector<TensorEntry> entries = whole;
    entries.push_back({name, "F64", {1}, 0, 0});
    return load(entries);
  };
  EXPECT_EQ(loadWith("a.moment2"),
            fmt::format("'{}' must hold weights alone, but holds moments, too, as 'a.moment2'; a "
                        "file without them is written by: stretto export RUN, without --moments",
                        folder / "w"));
  EXPECT_NE(loadWith("aa.moment2").find("must be a parameter, but got 'aa.moment2'"), std::string::npos);
}

TEST(Checkpoint, WeightsOfALayerThatThereIsNot) {
  TemporaryFolder folder;
  SmallProgram program;
  std::vector<stretto_parameter> parameters(program.program.parameters, program.program.parameters + 1);
  parameters[0].name = "layers.0.a";
  program.program.parameters = parameters.data();
  program.program.parameter_count = 1;
  const std::vector<float> data(6);
  for (const auto &[other, remark] : {std::pair("layers.1.a", "; the program has no such layer"),
                                      std::pair("layers.0.b", "; did you mean 'layers.0.a'?")}) {
    writeSafetensors(folder / "w", {{"layers.0.a", "F32", {2, 3}, 0, 0}, {other, "F32", {6}, 0, 0}},
                     [&](const TensorEntry &) { return data.data(); });
    EXPECT_EQ(errorOf([&] { loadWeights(program.state(), findWeights(folder / "w")); }),
              fmt::format("each tensor of '{}' must be a parameter, but got '{}'{}", folder / "w", other, remark));
  }
}
