// Imports that a spec names.
#include "tools/stretto/imports.h"

#include "tools/stretto/error.h"

#include <gtest/gtest.h>

#include <fstream>

namespace stretto::tools {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

TEST(ImportedPaths, AreThoseAfterTheWordImport) {
  EXPECT_EQ(importedPaths("import \"a.stretto\"\nimport   \"b/c.stretto\" model m() {}"),
            (Paths{"a.stretto", "b/c.stretto"}));
}

TEST(ImportedPaths, IgnoreCommentsStringsAndLongerWords) {
  EXPECT_EQ(importedPaths("// import \"a\"\nx = \"import\" y = \"b\" important \"c\" import d \"e\""), Paths{});
}

TEST(ImportedPaths, EndLinesAsTheCompilerDoes) {
  EXPECT_EQ(importedPaths("// a comment\rimport \"a\"\r\nimport \"b\rimport \"c\""), (Paths{"a", "c"}));
}

TEST(ImportedPaths, MayFollowAComment) { EXPECT_EQ(importedPaths("import // from here\n \"a\""), Paths{"a"}); }

TEST(ImportedPaths, BearUnfinishedText) {
  EXPECT_EQ(importedPaths("import \"a"), Paths{});
  EXPECT_EQ(importedPaths("import"), Paths{});
  EXPECT_EQ(importedPaths(""), Paths{});
}

class ReadSpec : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) / "stretto-read-spec";
    fs::create_directories(folder / "std");
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path write(const char *name, const char *text) {
    std::ofstream(folder / name) << text;
    return folder / name;
  }
  fs::path folder;
};

TEST_F(ReadSpec, FollowsImportsRelativeToTheirFileAndOnce) {
  fs::path spec = write("m.stretto", "import \"std/a.stretto\" import \"b.stretto\"");
  write("std/a.stretto", "import \"../b.stretto\"");
  write("b.stretto", "import \"m.stretto\" // a circle");
  std::vector<SpecFile> files = readSpec(spec);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[1].text, "import \"../b.stretto\"");
  EXPECT_EQ(files[2].path.filename(), "b.stretto");
}

TEST_F(ReadSpec, GoesUpFromTheNameOfALink) {
  fs::path spec = write("m.stretto", "import \"link/../a.stretto\"");
  write("a.stretto", "here");
  write("std/a.stretto", "beside what the link leads to");
  fs::create_directories(folder / "std/deep");
  fs::create_directory_symlink(folder / "std/deep", folder / "link");
  std::vector<SpecFile> files = readSpec(spec);
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].text, "here");
}

TEST_F(ReadSpec, LooksIntoTheFolderOfTheFileBeforeTheOthers) {
  fs::path spec = write("m.stretto", "import \"a.stretto\" import \"b.stretto\"");
  write("a.stretto", "beside");
  write("std/a.stretto", "elsewhere");
  write("std/b.stretto", "found");
  std::vector<std::string> folders{(folder / "nowhere").string(), (folder / "std").string()};
  std::vector<SpecFile> files = readSpec(spec, folders);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[1].text, "beside");
  EXPECT_EQ(files[2].text, "found");
}

TEST_F(ReadSpec, LeavesMissingImportsToTheCompiler) {
  EXPECT_EQ(readSpec(write("m.stretto", "import \"nowhere.stretto\"")).size(), 1u);
}

TEST_F(ReadSpec, RefusesAMissingSpecAndAFolder) {
  EXPECT_THROW(readSpec(folder / "nowhere.stretto"), CommandError);
  EXPECT_THROW(readSpec(folder / "std"), CommandError);
}

} // namespace
} // namespace stretto::tools
