// Files of tasks that are no files of text.
#include "tasks/common/files.h"
#include "Support.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::tasks;
using namespace stretto::test;

// None of them is waited for or read on and on.
TEST(Files, whatIsNoFileOfTextIsRefused) {
  const std::string folder = ::testing::TempDir() + "files", path = folder + "/it";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  auto error = [](const std::string &of) { return errorOf([&] { readTextFile(of); }); };
  const std::string start = "cannot read '" + path + "': ";
  EXPECT_EQ(error(path), start + "No such file or directory");
  EXPECT_EQ(error(folder), "cannot read '" + folder + "': it must be a regular file");
  EXPECT_EQ(error("/dev/zero"), "cannot read '/dev/zero': it must be a regular file");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(error(path), start + "it must be a regular file");
  std::filesystem::remove(path);
  std::ofstream(path).close();
  EXPECT_EQ(error(path), start + "it is empty");
  std::filesystem::resize_file(path, (uintmax_t{1} << 30) + 1); // takes no place on the disk
  EXPECT_EQ(error(path), start + "a text must have at most 2^30 bytes, but got 1073741825");
  EXPECT_TRUE(fileExists(path));
  EXPECT_FALSE(fileExists(path + "s"));
  EXPECT_FALSE(fileExists(path + "/it")) << "a file stands in its way";
  std::filesystem::remove_all(folder);
}
