// Tensors that lie in several files: whole, in parts, and in ways that are refused.
#include "runtime/train/tensor_files.h"

#include "test/unit/runtime/small.h"

using namespace stretto::runtime;
using namespace stretto::test;

namespace {

struct TensorFilesTest : testing::Test {
  // A file with these tensors of f32, whose elements count up from 0 over the whole file.
  std::string file(const std::string &name, std::vector<TensorEntry> entries) {
    std::vector<std::vector<float>> data;
    float next = 0;
    writeSafetensors(folder / name, std::move(entries), [&](const TensorEntry &entry) -> const void * {
      for (data.emplace_back(entry.elements()); float &value : data.back())
        value = next++;
      return data.back().data();
    });
    return folder / name;
  }
  std::string refusal(const std::vector<std::string> &paths) {
    return errorOf([&] { TensorFiles("all", paths); });
  }
  TemporaryFolder folder;
};

TensorEntry f32(const std::string &name, std::vector<int64_t> shape) { return {name, "F32", std::move(shape), 0, 0}; }

std::vector<float> valuesOf(const TensorFiles::Tensor &tensor, int64_t first, int64_t last) {
  const std::vector<std::byte> data = tensor.read(first, last);
  const float *values = reinterpret_cast<const float *>(data.data());
  return {values, values + data.size() / sizeof(float)};
}

} // namespace

TEST_F(TensorFilesTest, PartsAreReadFromWhereverTheyLie) {
  const TensorFiles files("all", {file("0", {f32("x@3", {2}), f32("y", {2, 2})}), file("1", {f32("x@0", {3})})});
  ASSERT_EQ(files.tensors().size(), 2u);
  const TensorFiles::Tensor &x = files.expect(f32("x", {5}));
  EXPECT_FALSE(x.shape);
  EXPECT_EQ(valuesOf(x, 0, 5), (std::vector<float>{0, 1, 2, 0, 1}));
  EXPECT_EQ(valuesOf(x, 2, 4), (std::vector<float>{2, 0}));
  EXPECT_EQ(valuesOf(x, 3, 3), (std::vector<float>{}));
  EXPECT_EQ(valuesOf(files.expect(f32("y", {2, 2})), 1, 3), (std::vector<float>{3, 4}));
  EXPECT_EQ(files.find("x@0"), nullptr);
}

TEST_F(TensorFilesTest, NamesOfParts) {
  const TensorEntry whole{"x", "F64", {2, 3}, 0, 48};
  EXPECT_EQ(partOf(whole, 0, 6).name, "x");
  EXPECT_EQ(partOf(whole, 0, 6).shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(partOf(whole, 2, 4).name, "x@2");
  EXPECT_EQ(partOf(whole, 2, 4).bytes(), 32u);
  EXPECT_EQ(namedPart("a@b@12").tensor, "a@b");
  EXPECT_EQ(namedPart("a@b@12").first, 12);
  for (const char *name : {"x", "@1", "x@", "x@-1", "x@1a", "x@99999999999999999999"})
    EXPECT_EQ(namedPart(name).tensor, name);
}

TEST_F(TensorFilesTest, WhatDoesNotFitTogetherIsRefused) {
  const std::string first = file("first", {f32("x@0", {3})}), whole = file("whole", {f32("x", {5})});
  EXPECT_EQ(refusal({first, file("over", {f32("x@2", {3})})}),
            "'x' in 'all' must have each element once, but element 2 is in 'first' and in 'over'");
  EXPECT_EQ(refusal({first, file("same", {f32("x@0", {3})})}),
            "'x' in 'all' must have each element once, but element 0 is in 'first' and in 'same'");
  EXPECT_EQ(refusal({whole, file("again", {f32("x", {5})})}),
            "'x' in 'all' must have each element once, but element 0 is in 'whole' and in 'again'");
  EXPECT_NE(refusal({whole, file("behind", {f32("x@5", {1})})}), "");
  EXPECT_EQ(refusal({first, file("hole", {f32("x@5", {2})})}),
            "'x' in 'all' must have all elements, but 3 to 4 are in no file");
  EXPECT_EQ(refusal({file("late", {f32("x@1", {2})})}),
            "'x' in 'all' must have all elements, but 0 to 0 are in no file");
  EXPECT_EQ(refusal({first, file("ints", {{"x@3", "I32", {2}, 0, 0}})}),
            "'x' in 'all' must have one type, but is F32 in 'first' and I32 in 'ints'");
  EXPECT_NE(refusal({first, file("flat", {f32("x@3", {1, 2})})}).find("must have one dimension, but 'x@3' in "),
            std::string::npos);
  EXPECT_EQ(refusal({file("far", {f32("x@9223372036854775807", {2})})}),
            "'x' in 'all' must have fewer than 2^63 elements");
}

TEST_F(TensorFilesTest, WhatIsMissingOrOtherIsTold) {
  const TensorFiles files("all", {file("0", {f32("x@0", {3}), f32("y", {2, 2})})});
  const auto refused = [&](const TensorEntry &wanted) { return errorOf([&] { files.expect(wanted); }); };
  EXPECT_EQ(refused(f32("x", {2, 2})), "'all' must hold 'x' as F32[2, 2], but holds parts of F32 with 3 elements");
  EXPECT_EQ(refused({"y", "F64", {2, 2}, 0, 0}), "'all' must hold 'y' as F64[2, 2], but holds F32[2, 2]");
  EXPECT_EQ(refused(f32("y", {4})), "'all' must hold 'y' as F32[4], but holds F32[2, 2]");
  EXPECT_EQ(refused(f32("z", {4})), "'all' must hold 'z' as F32[4], but has no such tensor");
  EXPECT_EQ(errorOf([&] { files.expectExactly({f32("x", {3})}); }),
            "'all' must hold 1 tensors, but holds 'y', which is none of them");
}
