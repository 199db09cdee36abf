// The cache of compiled programs: keys and folders.
#include "tools/stretto/cache.h"

#include "tools/stretto/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

namespace stretto::tools {
namespace {

namespace fs = std::filesystem;

TEST(CacheKey, TellsFieldsApart) {
  CacheKey joined, apart;
  joined.add("ab");
  apart.add("a");
  apart.add("b");
  EXPECT_NE(joined.digest(), apart.digest());
  EXPECT_EQ(joined.digest().size(), 32u);
}

TEST(CacheKey, RefusesAMissingFile) {
  CacheKey key;
  EXPECT_THROW(key.addFile("/nonexistent/file"), CommandError);
}

TEST(CacheFolder, TakesTheFirstVariableThatIsSet) {
  setenv("STRETTO_CACHE", "/a", 1);
  setenv("XDG_CACHE_HOME", "/b", 1);
  setenv("HOME", "/c", 1);
  EXPECT_EQ(cacheFolder(), "/a");
  unsetenv("STRETTO_CACHE");
  EXPECT_EQ(cacheFolder(), "/b/stretto");
  setenv("XDG_CACHE_HOME", "", 1);
  EXPECT_EQ(cacheFolder(), "/c/.cache/stretto");
  unsetenv("HOME");
  EXPECT_THROW(cacheFolder(), CommandError);
}

class ProgramCacheTest : public testing::Test {
protected:
  void SetUp() override { folder = fs::path(testing::TempDir()) / "stretto-program-cache"; }
  void TearDown() override { fs::remove_all(folder); }

  void make(const fs::path &path) {
    ++made;
    std::ofstream(path) << "#!/bin/sh\n";
    fs::permissions(path, fs::perms::owner_all);
  }
  fs::path obtain(const std::string &key, size_t capacity = 10) {
    return ProgramCache(folder, capacity).obtain(key, [this](const fs::path &path) { make(path); });
  }

  fs::path folder;
  int made = 0;
};

TEST_F(ProgramCacheTest, MakesAProgramOnce) {
  fs::path first = obtain("k");
  EXPECT_TRUE(fs::exists(first));
  EXPECT_EQ(obtain("k"), first);
  EXPECT_EQ(made, 1);
  EXPECT_NE(obtain("other"), first);
  EXPECT_EQ(made, 2);
}

// A program that was there once and was harmed since.
using Harm = void (*)(const fs::path &program);

class DamagedProgramTest : public ProgramCacheTest, public testing::WithParamInterface<Harm> {};

TEST_P(DamagedProgramTest, IsMadeAnewAndTold) {
  const fs::path program = obtain("k");
  GetParam()(program);
  testing::internal::CaptureStderr();
  EXPECT_EQ(obtain("k"), program);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("the program in the cache is damaged and made anew: '" + program.string() + "'"), told.npos)
      << told;
  EXPECT_EQ(made, 2);
  EXPECT_EQ(fs::file_size(program), 10u);
  testing::internal::CaptureStderr();
  obtain("k");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(made, 2);
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    EXPECT_EQ(entry.path(), folder / "programs");
}

void flipABit(const fs::path &program) {
  std::fstream file(program);
  file.seekp(5) << 'B';
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedProgramTest,
    testing::Values([](const fs::path &program) { fs::resize_file(program, 4); },
                    [](const fs::path &program) { fs::resize_file(program, 0); }, flipABit,
                    [](const fs::path &program) { fs::permissions(program, fs::perms::owner_read); },
                    [](const fs::path &program) { fs::remove(program); },
                    [](const fs::path &program) { fs::remove(program.parent_path() / "checksum"); },
                    [](const fs::path &program) {
                      fs::remove(program);
                      fs::create_symlink("nowhere", program);
                    },
                    [](const fs::path &program) {
                      fs::remove(program);
                      fs::create_directory(program);
                    },
                    [](const fs::path &program) {
                      fs::remove_all(program.parent_path());
                      fs::create_symlink("nowhere", program.parent_path());
                    }));

// What a killed process left goes, what a living one works in stays.
TEST_F(ProgramCacheTest, RemovesAbandonedFolders) {
  fs::create_directories(folder / "making-killed");
  std::ofstream(folder / "making-killed" / "program") << "half";
  ProgramCache(folder).obtain("k", [this](const fs::path &path) {
    obtain("other");
    make(path);
  });
  EXPECT_TRUE(fs::exists(folder / "programs" / "k" / "program"));
  EXPECT_EQ(made, 2);
  EXPECT_FALSE(fs::exists(folder / "making-killed"));
}

TEST_F(ProgramCacheTest, KeepsNothingOfAFailure) {
  auto fail = [](const fs::path &path) {
    std::ofstream(path) << "half";
    throw std::runtime_error("no");
  };
  EXPECT_THROW(ProgramCache(folder).obtain("k", fail), std::runtime_error);
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder))
    EXPECT_EQ(entry.path(), folder / "programs");
}

// What cannot be written is told with the way to another folder.
TEST_F(ProgramCacheTest, KeepsNothingThatIsNotWritten) {
  auto fail = [](const fs::path &path) {
    std::ofstream(path) << "half";
    throw WriteError(path, ENOSPC);
  };
  try {
    ProgramCache(folder).obtain("k", fail);
    FAIL() << "no error";
  } catch (const CommandError &error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("cannot write '" + folder.string() + "/making-")) << text;
    EXPECT_TRUE(text.ends_with("/program': No space left on device; set STRETTO_CACHE to a folder that can be written"))
        << text;
  }
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(folder))
    EXPECT_EQ(entry.path(), folder / "programs");
}

TEST_F(ProgramCacheTest, TakesTheEntryOfAFasterProcess) {
  fs::path result = ProgramCache(folder).obtain("k", [this](const fs::path &path) {
    make(path);
    obtain("k");
  });
  EXPECT_EQ(result, folder / "programs" / "k" / "program");
  EXPECT_TRUE(fs::exists(result));
  EXPECT_EQ(made, 2);
}

TEST_F(ProgramCacheTest, LetsOthersRead) {
  const mode_t before = umask(022);
  const fs::perms shown = fs::status(obtain("k").parent_path()).permissions();
  umask(before);
  EXPECT_EQ(shown, fs::perms(0755));
}

// A cache of somebody else, in which one entry can neither be read nor replaced, and no other be added.
TEST_F(ProgramCacheTest, HasAFolderForAUserWhoCannotUseThatOfAll) {
  const fs::path entry = obtain("k").parent_path();
  fs::permissions(entry, fs::perms::none);
  fs::permissions(folder, fs::perms(0777));
  fs::permissions(folder / "programs", fs::perms(0555));
  const auto use = [&] {
    if (geteuid() == 0 && setuid(65534) != 0)
      _exit(1);
    for (const char *key : {"k", "other"})
      if (const fs::path own = obtain(key);
          own.parent_path().parent_path() == folder / "programs" || obtain(key) != own)
        _exit(2);
    _exit(made == 3 ? 0 : 3);
  };
  EXPECT_EXIT(use(), testing::ExitedWithCode(0), "damaged and made anew: '.*/k/program': Permission denied");
  for (const fs::path &path : {folder / "programs", entry})
    fs::permissions(path, fs::perms::owner_all);
}

TEST_F(ProgramCacheTest, ForgetsTheLeastRecentlyUsed) {
  auto age = [&](const std::string &key, int hours) {
    fs::last_write_time(obtain(key, 2).parent_path(), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  age("old", 3);
  age("older", 4);
  obtain("older", 2); // used again
  obtain("new", 2);
  EXPECT_FALSE(fs::exists(folder / "programs" / "old"));
  EXPECT_TRUE(fs::exists(folder / "programs" / "older"));
  EXPECT_TRUE(fs::exists(folder / "programs" / "new"));
}

TEST_F(ProgramCacheTest, NamesAFolderThatCannotBeUsed) {
  std::ofstream{folder} << "a file";
  try {
    obtain("k");
    FAIL() << "no error";
  } catch (const CommandError &error) {
    EXPECT_NE(std::string(error.what()).find("set STRETTO_CACHE"), std::string::npos);
  }
}

} // namespace
} // namespace stretto::tools
