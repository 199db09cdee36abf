// Safetensors files: written, read, damaged.
#include "runtime/train/safetensors.h"

#include "runtime/core/philox.h"
#include "test/unit/runtime/small.h"

#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace stretto;
using namespace stretto::runtime;
using namespace stretto::test;

namespace {

std::string entry(const std::string &dtype, const std::string &shape, const std::string &offsets) {
  return fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{}]}})", dtype, shape, offsets);
}
std::string single(const std::string &dtype, const std::string &shape, const std::string &offsets) {
  return R"({"x":)" + entry(dtype, shape, offsets) + "}";
}
std::string parseError(const std::string &json, uint64_t bytes) {
  return errorOf([&] { parseSafetensorsHeader(json, bytes); });
}
std::string fileError(const TemporaryFolder &folder, const std::string &content) {
  spill(folder / "f", content);
  return errorOf([&] { SafetensorsFile file(folder / "f"); });
}
std::string withLength(uint64_t length, const std::string &rest) {
  std::string prefix(8, '\0');
  std::memcpy(prefix.data(), &length, 8);
  return prefix + rest;
}

void expectRule(const std::string &error, const std::string &rule) {
  EXPECT_NE(error.find(rule), std::string::npos) << "got: " << error;
}

} // namespace

TEST(Safetensors, WritesAndReadsBack) {
  TemporaryFolder folder;
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const std::vector<double> y = {7};
  writeSafetensors(folder / "f", {{"y", "F64", {}, 0, 0}, {"x", "F32", {2, 3}, 0, 0}, {"none", "I32", {0, 4}, 0, 0}},
                   [&](const TensorEntry &entry) -> const void * {
                     return entry.name == "x" ? static_cast<const void *>(x.data()) : y.data();
                   },
                   {{"made", "by a \"test\""}});
  const SafetensorsFile file(folder / "f");
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.metadata().at("made"), "by a \"test\"");
  const TensorEntry *found = file.find("x");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->shape, (std::vector<int64_t>{2, 3}));
  std::vector<float> got(6);
  file.read(*found, got.data());
  EXPECT_EQ(got, x);
  EXPECT_FALSE(file.find("z"));
}

TEST(Safetensors, TheLengthFieldMustFit) {
  TemporaryFolder folder;
  expectRule(fileError(folder, "1234567"), "at least 8 bytes");
  expectRule(fileError(folder, withLength(3, "{}")), "must fit the file");
  expectRule(fileError(folder, withLength(~0ull, "{}")), "must fit the file");
  expectRule(fileError(folder, withLength(~0ull - 7, "{}")), "must fit the file");
  expectRule(fileError(folder, withLength(100'000'001, "{}")), "must fit the file");
  EXPECT_EQ(fileError(folder, withLength(2, "{}")), "");
}

TEST(Safetensors, TheHeaderMustBeOneCleanObject) {
  expectRule(parseError("", 0), "start with '{'");
  expectRule(parseError(" {}", 0), "start with '{'");
  expectRule(parseError("[]", 0), "start with '{'");
  expectRule(parseError("{}x", 0), "RFC 8259");
  expectRule(parseError("{}\n", 0), "only spaces may follow");
  expectRule(parseError("{", 0), "RFC 8259");
  expectRule(parseError("{\"\xff\":{}}", 0), "RFC 8259");
  EXPECT_EQ(parseError("{}   ", 0), "");
  expectRule(parseError(R"({"x":{"dtype":[[[[1]]]],"shape":[],"data_offsets":[0,4]}})", 4), "at most 4 deep");
  expectRule(parseError(std::string(100000, '{'), 0), "RFC 8259");
  expectRule(parseError("{\"x\":" + std::string(100000, '['), 0), "at most 4 deep");
}

TEST(Safetensors, NamesMustBePlainAndDiffer) {
  const std::string good = entry("F32", "1", "0,4");
  expectRule(parseError("{\"x\":" + good + ",\"x\":" + good + "}", 4), "must differ");
  expectRule(parseError("{\"\":" + good + "}", 4), "1 to 1024 bytes");
  expectRule(parseError("{\"" + std::string(1025, 'a') + "\":" + good + "}", 4), "1 to 1024 bytes");
  expectRule(parseError("{\"a\\u0000b\":" + good + "}", 4), "no control bytes");
  expectRule(parseError("{\"a\\nb\":" + good + "}", 4), "no control bytes");
}

TEST(Safetensors, EntriesMustBeComplete) {
  expectRule(parseError(R"({"x":1})", 4), "an object of dtype, shape and data_offsets");
  expectRule(parseError(R"({"x":{"dtype":"F32","shape":[1]}})", 4), "an object of dtype, shape and data_offsets");
  expectRule(parseError(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1}})", 4), "an object of");
  expectRule(parseError(single("F33", "1", "0,4"), 4), "must be one of the format");
  expectRule(parseError(single("f32", "1", "0,4"), 4), "must be one of the format");
}

TEST(Safetensors, ShapesMustBeUnsignedAndTheirProductMustFit) {
  expectRule(parseError(single("F32", "1.0", "0,4"), 4), "unsigned integer");
  expectRule(parseError(single("F32", "1e0", "0,4"), 4), "unsigned integer");
  expectRule(parseError(single("F32", "-1", "0,4"), 4), "unsigned integer");
  expectRule(parseError(single("F32", "\"1\"", "0,4"), 4), "unsigned integer");
  expectRule(parseError(single("F32", "1,1,1,1,1,1,1,1,1", "0,4"), 4), "at most 8");
  expectRule(parseError(single("F32", "18446744073709551615", "0,4"), 4), "below 2^63");
  expectRule(parseError(single("F32", "4294967296,4294967296", "0,0"), 0), "fit 64 bits");
  expectRule(parseError(single("F32", "0,4294967296,4294967296", "0,0"), 0), "fit 64 bits");
  expectRule(parseError(single("F64", "2305843009213693952", "0,0"), 0), "fit 64 bits");
  EXPECT_EQ(parseError(single("F32", "", "0,4"), 4), "");
  EXPECT_EQ(parseError(single("F32", "0,7", "0,0"), 0), "");
}

TEST(Safetensors, RangesMustCoverTheDataExactly) {
  expectRule(parseError(single("F32", "1", "0"), 4), "two numbers");
  expectRule(parseError(single("F32", "1", "0,4,8"), 4), "two numbers");
  expectRule(parseError(single("F32", "1", "4,0"), 4), "must lie in");
  expectRule(parseError(single("F32", "1", "0,8"), 4), "must lie in");
  expectRule(parseError(single("F32", "1", "0,18446744073709551615"), 4), "must lie in");
  expectRule(parseError(single("F32", "2", "0,4"), 4), "8 bytes of its shape");
  expectRule(parseError(single("F32", "1", "0,4"), 8), "must end with the file");
  expectRule(parseError(single("F32", "1", "4,8"), 8), "no hole");
  expectRule(parseError("{\"x\":" + entry("F32", "2", "0,8") + ",\"y\":" + entry("F32", "1", "4,8") + "}", 8),
             "no overlap");
  expectRule(parseError("{\"x\":" + entry("F32", "2", "0,8") + ",\"y\":" + entry("F32", "0", "4,4") + "}", 8),
             "no overlap");
}

// Other tools write tensors of several types one behind the other, without gaps.
TEST(Safetensors, DataNeedNotBeAligned) {
  TemporaryFolder folder;
  const std::string header = "{\"x\":" + entry("U8", "3", "0,3") + ",\"y\":" + entry("F32", "2", "3,11") + "} ";
  const float numbers[] = {0.5f, -3};
  std::string data = "abc" + std::string(reinterpret_cast<const char *>(numbers), sizeof numbers);
  spill(folder / "file", withLength(header.size(), header) + data);
  const SafetensorsFile file(folder / "file");
  float got[2] = {};
  file.read(*file.find("y"), got);
  EXPECT_EQ(got[0], 0.5f);
  EXPECT_EQ(got[1], -3);
}

TEST(Safetensors, MetadataMustBeStrings) {
  expectRule(parseError(R"({"__metadata__":{"a":1}})", 0), "object of strings");
  expectRule(parseError(R"({"__metadata__":"a"})", 0), "object of strings");
  expectRule(parseError("{\"__metadata__\":{\"a\":\"" + std::string(1'000'001, 'x') + "\"}}", 0), "at most 1000000");
}

TEST(Safetensors, FilesMustBeRegularAndNotLinks) {
  TemporaryFolder folder;
  spill(folder / "real", withLength(2, "{}"));
  ASSERT_EQ(symlink((folder / "real").c_str(), (folder / "link").c_str()), 0);
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  expectRule(errorOf([&] { SafetensorsFile file(folder / "link"); }), "cannot open");
  expectRule(errorOf([&] { SafetensorsFile file(folder / "fifo"); }), "not a regular file");
  expectRule(errorOf([&] { SafetensorsFile file(folder.path); }), "not a regular file");
  EXPECT_EQ(errorOf([&] { SafetensorsFile file(folder / "link", true); }), "");
  spill(folder / "sparse", withLength(2, "{}"));
  std::filesystem::resize_file(folder / "sparse", 1ull << 40);
  expectRule(errorOf([&] { SafetensorsFile file(folder / "sparse"); }), "must end with the file");
}

// Seeded damage to a good file: the reader refuses or gives a tensor that lies inside the file; never worse.
TEST(Safetensors, RandomDamageIsRefusedOrHarmless) {
  TemporaryFolder folder;
  const std::string good =
      withLength(single("F32", "2, 3", "0,24").size(), single("F32", "2, 3", "0,24")) + std::string(24, 'd');
  int accepted = 0;
  for (uint32_t i = 0; i < 20000; ++i) {
    std::string bad = good.substr(8, good.size() - 32);
    const uint32_t changes = 1 + philox({i, 0, 0, 0}, {1, 2})[0] % 3;
    for (uint32_t change = 1; change <= changes; ++change) {
      const PhiloxCounter words = philox({i, change, 0, 0}, {1, 2});
      bad[words[0] % bad.size()] = static_cast<char>(words[1]);
    }
    try {
      for (const TensorEntry &tensor : parseSafetensorsHeader(bad, 24).tensors) {
        ASSERT_LE(tensor.end, 24u);
        ASSERT_LE(tensor.begin, tensor.end);
      }
      ++accepted;
    } catch (const Error &) {
    }
  }
  EXPECT_LT(accepted, 20000);
}

// The first two bytes of a pickle may be the length of a header that is cut.
TEST(Safetensors, WhatTorchSaveWritesIsNamed) {
  TemporaryFolder folder;
  for (const std::string &magic :
       {std::string("PK\x03\x04\0\0\x08\x08", 8), std::string("\x80\x02\x8a\x0al\xfc\x9c\x46", 8)})
    EXPECT_EQ(fileError(folder, magic + std::string(100, 'x')),
              fmt::format("'{0}' is not a valid safetensors file: it looks like one that torch.save wrote; to convert "
                          "its tensors: python3 -c 'import sys, torch, safetensors.torch as s; s.save_file(torch.load("
                          "sys.argv[1]), sys.argv[2])' {0} {0}.safetensors",
                          folder / "f"));
  expectRule(fileError(folder, withLength(uint64_t{1} << 40, "{}")), "but its length is 1099511627776");
  EXPECT_EQ(fileError(folder, withLength(0x280, "{}" + std::string(0x27e, ' '))), "");
  expectRule(fileError(folder, withLength(0x280, "{}")), "but its length is 640");
}
