// Files that replace others, interrupted; sealed files, damaged.
#include "runtime/train/files.h"

#include "runtime/core/sealed.h"
#include "test/unit/runtime/small.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

// A process that ends between two operations of replaceFile leaves what removeInterrupted removes, and nothing else
// goes.
TEST(Files, WhatAnInterruptedReplacementLeftIsRemoved) {
  TemporaryFolder folder;
  for (const char *name :
       {"dataset.tmp-20240101", "metrics.jsonl", "metrics.jsonl.tmp-", "metrics.jsonl.tmp-own", ".tmp-12", "log"})
    spill(folder / name, "x");
  const std::vector<std::string> before = listDirectory(folder.path);
  const pid_t child = fork();
  if (child == 0) {
    setFileGate([](std::string_view operation, const std::string &) {
      if (operation == "rename")
        _exit(0);
    });
    replaceFile(folder / "metrics.jsonl", "y");
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(listDirectory(folder.path).size(), before.size() + 1);
  spill(folder / "log-01.txt.tmp-3", "x");
  removeInterrupted(folder.path, {"metrics.jsonl", "log-*"});
  EXPECT_EQ(listDirectory(folder.path), before);
  EXPECT_NO_THROW(removeInterrupted(folder / "none", {"*"}));
}

TEST(Files, AReplacementIsCalledByTheNameItIsToHave) {
  TemporaryFolder folder;
  EXPECT_EQ(errorOf([&] { replaceFile(folder / "none/file", "x"); }),
            "cannot create '" + (folder / "none/file") + "': No such file or directory");
}

TEST(Files, AFolderIsMadeWithThoseAboveIt) {
  TemporaryFolder folder;
  EXPECT_NO_THROW(makeDirectory(folder / "a/b/c"));
  EXPECT_NO_THROW(makeDirectory(folder / "a/b/c")) << "one that exists is taken";
  EXPECT_EQ(listDirectory(folder / "a/b"), std::vector<std::string>{"c"});
  spill(folder / "file", "x");
  EXPECT_THROW(makeDirectory(folder / "file/a"), Error);
  EXPECT_THROW(makeDirectory(folder / "file"), Error);
  std::filesystem::create_symlink("a", folder / "link");
  EXPECT_NO_THROW(makeDirectory(folder / "link"));
  std::filesystem::create_symlink("none", folder / "dangling");
  EXPECT_THROW(makeDirectory(folder / "dangling"), Error);
}

TEST(Files, OnlyWhatHasChangedIsReplaced) {
  TemporaryFolder folder;
  const std::string path = folder / "file";
  std::vector<std::string> written;
  setFileGate([&](std::string_view operation, const std::string &to) {
    if (operation == "rename")
      written.push_back(to);
  });
  replaceWhereChanged(path, "a");
  replaceWhereChanged(path, "a");
  EXPECT_EQ(written.size(), 1u);
  replaceWhereChanged(path, "ab");
  replaceWhereChanged(path, "ab", /*executable=*/true);
  EXPECT_EQ(written.size(), 3u);
  std::filesystem::create_symlink(path, folder / "link");
  EXPECT_FALSE(hasText(folder / "link", "ab"));
  EXPECT_FALSE(hasText(folder / "link", std::string(path.size(), 'x'))) << "what is as long as the link itself";
  replaceWhereChanged(folder / "link", "c");
  setFileGate({});
  EXPECT_TRUE(hasText(folder / "link", "c"));
  EXPECT_TRUE(hasText(path, "ab")) << "what a link leads to stays";
}

TEST(Files, AnOutputBelowAFileIsRefused) {
  TemporaryFolder folder;
  replaceFile(folder / "a", "");
  const std::string path = folder / "a/b";
  EXPECT_EQ(errorOf([&] { placeOfOutput(path); }), "cannot write '" + path + "': Not a directory");
}

TEST(Sealed, EveryBitFlipAndTruncationIsSeen) {
  const std::string text = "--batch\n4\n", good = sealed(text);
  EXPECT_EQ(unsealed(good), text);
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(unsealed(bad)) << "bit " << bit;
  }
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(unsealed(good.substr(0, length))) << "length " << length;
  EXPECT_FALSE(unsealed(good + "--length\n8\n"));
  EXPECT_EQ(unsealed(sealed("")), "");
}
