//===- CudaNarrowTest.cpp - mixers with many heads of a few columns, on the emulator -----------===//
#include "CudaLibrary.h"

#include "codegen/cuda/narrow/NarrowMixer.h"

#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

namespace {
enum class Decay { none, ofHead, ofKey, constant };
enum class Erases { nothing, beta, key, other };

/// A mixer; `decay` that is constant is one number for each head at all tokens.
struct Narrow {
  int64_t heads, keyHeads, keys, values;
  Decay decay = Decay::ofHead;
  Erases erases = Erases::nothing;
  bool writes = false, before = false, documents = false, saves = true;
  std::string unwanted = ""; // the operand whose gradient is not asked for
  std::string stored = "f32";
  int64_t length = 130, segment = 64;

  /// As at seq.mixer_grad.
  int64_t headsOfPart() const { return heads / keyHeads % 16 == 0 ? 16 : 1; }
  std::string real() const { return stored == "f64" ? "f64" : "f32"; }
  std::string rows(int64_t columns, const std::string &type) const {
    return llvm::formatv("tensor<2x{0}x{1}x{2}>", length, columns, type);
  }
  std::string text() const;
};

/// Operands that are not given by default: name, type of the operand and of its gradient.
struct Optional {
  std::string name, type, gradient;
};

std::vector<Optional> optionalOf(const Narrow &n) {
  std::vector<Optional> list;
  auto add = [&](const char *name, int64_t columns, const std::string &type) {
    list.push_back({name, n.rows(columns, type), n.rows(columns, type)});
  };
  if (n.decay != Decay::none)
    add("decay", n.heads * (n.decay == Decay::ofKey ? n.keys : 1), n.real());
  if (n.decay == Decay::constant)
    list.back().type = llvm::formatv("tensor<{0}x{1}>", n.heads, n.real());
  if (n.writes)
    add("write", n.heads, n.real());
  if (n.erases == Erases::beta)
    add("beta", n.heads, n.real());
  if (n.erases == Erases::key || n.erases == Erases::other)
    add("erase", n.heads * n.keys, n.stored);
  if (n.erases == Erases::other)
    add("erase_write", n.heads * n.keys, n.stored);
  return list;
}

/// The mixer, and its gradient from states that are an argument.
std::string Narrow::text() const {
  std::string arguments, options, gradients, q = rows(keyHeads * keys, stored), v = rows(heads * values, stored);
  std::string states =
      llvm::formatv("tensor<2x{0}x{1}x{2}x{3}>", heads, (length + segment - 1) / segment, keys * values, real());
  int64_t results = 3;
  for (const Optional &each : optionalOf(*this)) {
    arguments += llvm::formatv(", %{0}: {1}", each.name, each.type);
    options += llvm::formatv("{0} %{0} : {1} ", each.name, each.type);
    if (each.name == unwanted)
      continue;
    gradients += llvm::formatv(" {0} {1}", each.name, each.gradient);
    ++results;
  }
  if (documents) {
    std::string type = llvm::formatv("tensor<2x{0}xi32>", length);
    arguments += ", %positions: " + type, options += "positions %positions : " + type + " ";
  }
  std::string sizes = llvm::formatv("heads {0} key_heads {1} scale 0.75 segment {2}{3}", heads, keyHeads, segment,
                                    before ? " read_before" : "");
  std::string dk = rows(heads / headsOfPart() * keys, stored);
  return llvm::formatv(R"(
func.func @mixer(%q: {0}, %k: {0}, %v: {1}{2}) {{
  {3} = seq.mixer %q, %k, %v {4}{5} : {0}, {1}{6}
  return
}
func.func @gradient(%grad: {1}, %q: {0}, %k: {0}, %v: {1}{2}, %states: {7}) {{
  %d:{8} = seq.mixer_grad %grad, %q, %k, %v {4}states %states {5} : {0}, {1}, {7} -> {9}{10}
  return
})",
                       q, v, arguments, saves ? "%o, %s" : "%o", options, sizes, saves ? " -> " + states : "", states,
                       results, dk, gradients);
}

void check(const Narrow &narrow) {
  auto context = makeContext();
  auto module = parse(*context, narrow.text());
  ASSERT_TRUE(module) << narrow.text();
  module->walk([](Operation *op) {
    if (isa<seq::MixerOp, seq::MixerGradOp>(op))
      kern::setKernelName(op, op->getParentOfType<func::FuncOp>().getName());
  });
  auto kernels = kernelsOf(*module);
  ASSERT_EQ(kernels.size(), 2U) << narrow.text();
  CudaLibrary library(*module);
  ASSERT_TRUE(library.isLoaded()) << narrow.text();
  for (Operation *kernel : kernels)
    EXPECT_EQ(checkKernel(kernel, library, /*seed=*/1), "") << narrow.text();
}

TEST(CudaNarrow, OneNumberForEachHead) {
  check({64, 64, 1, 1});
  check({.heads = 70, .keyHeads = 35, .keys = 1, .values = 1, .documents = true});
  check({.heads = 16, .keyHeads = 1, .keys = 1, .values = 1, .decay = Decay::none, .writes = true, .saves = false});
}

TEST(CudaNarrow, KeyColumns) {
  check({.heads = 24, .keyHeads = 1, .keys = 16, .values = 1, .decay = Decay::ofKey});
  check({.heads = 17, .keyHeads = 17, .keys = 3, .values = 2, .decay = Decay::ofKey, .documents = true});
  check({.heads = 16, .keyHeads = 8, .keys = 8, .values = 8, .decay = Decay::constant, .writes = true});
}

/// The parts of a block, and parts of several warps; of the last block only one.
TEST(CudaNarrow, HeadsThatAreAddedUp) {
  check({.heads = 48, .keyHeads = 1, .keys = 1, .values = 1, .documents = true});
  check({.heads = 64, .keyHeads = 2, .keys = 2, .values = 3, .decay = Decay::constant});
  check({.heads = 16, .keyHeads = 1, .keys = 20, .values = 1, .decay = Decay::ofKey, .length = 100});
  for (const char *stored : {"f32", "f64", "bf16"})
    for (Erases erases : {Erases::beta, Erases::other})
      check({.heads = 32,
             .keyHeads = 2,
             .keys = 5,
             .values = 2,
             .decay = Decay::ofKey,
             .erases = erases,
             .documents = true,
             .stored = stored});
}

TEST(CudaNarrow, WhatIsErased) {
  bool variant = false;
  for (Decay decay : {Decay::none, Decay::ofHead, Decay::ofKey, Decay::constant})
    for (Erases erases : {Erases::beta, Erases::key, Erases::other}) {
      variant = !variant;
      check({.heads = 20,
             .keyHeads = variant ? 5 : 20,
             .keys = variant ? 3 : 4,
             .values = variant ? 3 : 1,
             .decay = decay,
             .erases = erases,
             .writes = variant && erases != Erases::beta,
             .before = variant,
             .documents = erases == Erases::key});
    }
}

/// As of what frozen weights make, and of numbers.
TEST(CudaNarrow, GradientsThatNobodyWants) {
  for (const char *unwanted : {"decay", "write", "erase", "erase_write"})
    check({.heads = 16,
           .keyHeads = 8,
           .keys = 3,
           .values = 2,
           .decay = Decay::ofKey,
           .erases = Erases::other,
           .writes = true,
           .unwanted = unwanted});
  for (const char *unwanted : {"decay", "beta"})
    check({.heads = 16,
           .keyHeads = 16,
           .keys = 2,
           .values = 2,
           .decay = Decay::constant,
           .erases = Erases::beta,
           .unwanted = unwanted});
}

TEST(CudaNarrow, OtherTypes) {
  for (const char *stored : {"f64", "bf16"}) {
    check({.heads = 33, .keyHeads = 33, .keys = 1, .values = 1, .documents = true, .stored = stored});
    check({.heads = 16,
           .keyHeads = 2,
           .keys = 5,
           .values = 3,
           .decay = Decay::ofKey,
           .erases = Erases::other,
           .stored = stored});
    check({.heads = 16, .keyHeads = 16, .keys = 4, .values = 4, .erases = Erases::beta, .stored = stored});
  }
}

/// One segment that is not full, whole ones, and a single token.
TEST(CudaNarrow, Lengths) {
  for (int64_t length : {1, 15, 64, 100, 256})
    for (int64_t segment : {64, 256})
      check({.heads = 16, .keyHeads = 16, .keys = 2, .values = 1, .length = length, .segment = segment});
}

TEST(CudaNarrow, IsForManyHeadsOfFewColumns) {
  auto takes = [](const Narrow &narrow) {
    auto context = makeContext();
    auto module = parse(*context, narrow.text());
    bool all = true;
    module->walk([&](Operation *op) {
      if (isa<seq::MixerOp, seq::MixerGradOp>(op))
        all &= isNarrowMixer(op);
    });
    return all;
  };
  EXPECT_TRUE(takes({16, 16, 8, 8}));
  EXPECT_FALSE(takes({15, 15, 8, 8}));
  EXPECT_FALSE(takes({16, 16, 9, 8}));
  EXPECT_FALSE(takes({16, 16, 2, 9}));
  EXPECT_TRUE(takes({16, 16, 32, 2}));
  EXPECT_FALSE(takes({16, 16, 33, 1}));
}
} // namespace
