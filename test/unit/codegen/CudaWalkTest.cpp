//===- CudaWalkTest.cpp - tile programs on the emulator against the interpreter --------------===//
#include "CudaLibrary.h"
#include "WalkBodies.h"

#include "codegen/cuda/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

namespace {
void checkWalks(const std::string &text) {
  auto context = makeContext();
  auto module = parse(*context, text);
  ASSERT_TRUE(module) << text;
  auto named = scheduleForCuda(*module, {});
  ASSERT_TRUE(named);
  CudaLibrary library(*named);
  ASSERT_TRUE(library.isLoaded());
  uint64_t seed = 1;
  for (Operation *walk : kernelsOf(*named))
    EXPECT_EQ(checkKernel(walk, library, seed++), "");
}

/// The walks of mixers, in spans of so many chunks.
void checkMixers(const std::string &text, int64_t span) {
  auto context = makeContext();
  auto module = parse(*context, text);
  ASSERT_TRUE(module) << text;
  PassManager expand(context.get());
  ExpandMixersOptions options;
  options.span = span;
  expand.addPass(createExpandMixers(options));
  ASSERT_TRUE(succeeded(expand.run(*module)));
  std::string walks;
  llvm::raw_string_ostream(walks) << *module;
  checkWalks(walks);
}

/// A few warps and all of them, warps without work, warps with more than others; 16 to 128 columns.
constexpr int64_t shapes[][2] = {{16, 16}, {64, 128}, {48, 80}, {144, 32}};

void checkShapes(std::string (*walks)(const TileSizes &), const std::string &real) {
  for (auto [rows, columns] : shapes)
    checkWalks(walks({rows, columns, real}));
}

TEST(CudaWalk, Elementwise) { checkShapes(elementwiseWalks, "f32"); }
TEST(CudaWalk, ElementwiseDouble) { checkShapes(elementwiseWalks, "f64"); }
/// More rows than threads.
TEST(CudaWalk, LongLists) {
  checkWalks(elementwiseWalks({272, 16}));
  checkWalks(reductionWalks({272, 16}));
}
/// Matrices of more than a third of the shared memory are loaded one by one.
TEST(CudaWalk, LargeMatrices) { checkWalks(elementwiseWalks({128, 128, "f64"})); }
TEST(CudaWalk, Reductions) { checkShapes(reductionWalks, "f32"); }
TEST(CudaWalk, ReductionsDouble) { checkShapes(reductionWalks, "f64"); }
TEST(CudaWalk, Columns) { checkShapes(columnWalks, "f32"); }
TEST(CudaWalk, ColumnsDouble) { checkWalks(columnWalks({48, 32, "f64"})); }
TEST(CudaWalk, Matmuls) {
  checkWalks(matmulWalks({16, 16}));
  checkWalks(matmulWalks({48, 80}));
}
TEST(CudaWalk, MatmulsDouble) {
  checkWalks(matmulWalks({32, 16, "f64"}));
  checkWalks(matmulWalks({16, 96, "f64"}));
}
TEST(CudaWalk, MatmulsRounded) {
  checkWalks(roundedWalks({16, 16}));
  checkWalks(roundedWalks({48, 32}));
  checkWalks(roundedWalks({64, 128}));
}
TEST(CudaWalk, Inverses) {
  checkWalks(inverseWalks({16, 32}));
  checkWalks(inverseWalks({32, 16}));
  checkWalks(inverseWalks({64, 128}));
  checkWalks(inverseWalks({128, 16}));
}
TEST(CudaWalk, Windows) { checkWalks(windowWalks("f32")); }
TEST(CudaWalk, WindowsDouble) { checkWalks(windowWalks("f64")); }
TEST(CudaWalk, Spans) { checkWalks(spanWalks("f32")); }
TEST(CudaWalk, SpansDouble) { checkWalks(spanWalks("f64")); }
TEST(CudaWalk, MixerSpans) { checkMixers(mixers("f64", false), 2); }
TEST(CudaWalk, MixerSpansOfOneChunk) { checkMixers(mixers("f64", true), 1); }
TEST(CudaWalk, LinearAttention) { checkWalks(linearAttention("f32")); }
TEST(CudaWalk, LinearAttentionDouble) { checkWalks(linearAttention("f64")); }
TEST(CudaWalk, SharedState) {
  checkWalks(withSharedState(windowWalks("f32")));
  checkWalks(withSharedState(spanWalks("f32")));
  checkWalks(withSharedState(linearAttention("f32")));
}
TEST(CudaWalk, SharedStateDouble) {
  checkWalks(withSharedState(windowWalks("f64")));
  checkWalks(withSharedState(spanWalks("f64")));
  checkWalks(withSharedState(linearAttention("f64")));
}
} // namespace
