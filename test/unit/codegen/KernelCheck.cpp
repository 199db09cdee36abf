//===- KernelCheck.cpp - a CUDA kernel against what its operation means ---------===//
#include "CudaLibrary.h"
#include "KernelInputs.h"
#include "KernelMeaning.h"

#include "codegen/cuda/KernelFunction.h"
#include "runtime/abi/emulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

//===- Numbers ------------------------------------------------------------------===//

/// The largest difference beyond what rounding to the element allows, relative to 1 or the largest number.
static double excess(const Numbers &got, const Numbers &want, Type element) {
  if (got.size() != want.size())
    return INFINITY;
  double scale = 1, worst = 0, rounding = element.isBF16() ? std::ldexp(1, -8) : 0;
  for (double number : want)
    scale = std::max(scale, std::abs(number));
  for (auto [a, b] : llvm::zip_equal(got, want)) {
    if (std::isnan(a) != std::isnan(b))
      return INFINITY;
    if (!std::isnan(a))
      worst = std::max(worst, (std::abs(a - b) - rounding * std::abs(b)) / scale);
  }
  return worst;
}

static bool sameBits(const std::vector<Numbers> &a, const std::vector<Numbers> &b) {
  return llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
    auto &[x, y] = pair;
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
  });
}

//===- The check ----------------------------------------------------------------===//

template <typename Op> static bool has(kern::WalkOp op) {
  return op.walk([](Op) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Tiles that are rounded to bf16 are not so in the interpreter: that is some 2^-8 of the largest number; nor are
/// factors of inverses to tf32. Of mixers the largest differences are 5e-3, and 6e-7 in f32, where sums have 64 terms
/// and go on through chunks.
static double toleranceOf(kern::WalkOp op, bool isDouble) {
  if (has<arith::TruncFOp>(op))
    return 1e-2;
  if (has<kern::UnitInverseOp>(op))
    return 5e-4;
  return isDouble ? 1e-12 : 2e-6;
}

/// A kernel in which reals have 64 bits is as exact as the interpreter. Sums of f32 over columns and rows may cancel.
static double toleranceOf(Operation *op) {
  bool isDouble = llvm::any_of(op->getResultTypes(), [](Type type) { return getElementTypeOrSelf(type).isF64(); });
  if (auto walk = dyn_cast<kern::WalkOp>(op))
    return toleranceOf(walk, isDouble);
  return isDouble ? 1e-11 : 3e-5;
}

static std::string running; // for the report of the emulator

static void say(const char *message) { llvm::errs() << message << "\n" << running << "\n"; }

/// Launches with a result over an operand: those that give other bits than `want`.
static std::string checkInPlace(kern::RowKernel op, const CudaLibrary &library, const std::vector<Numbers> &inputs,
                                const std::vector<Numbers> &want) {
  std::string problems, before = running;
  for (InPlace over : waysInPlace(op)) {
    std::string name = llvm::formatv("result {0} over operand {1}", over.result, over.operand);
    running = name + ", " + before;
    if (!sameBits(library.launch(op, inputs, over), want))
      problems += name + " gives other bits\n";
  }
  running = before;
  return problems;
}

static bool isFinite(const Numbers &numbers) {
  return llvm::all_of(numbers, [](double number) { return std::isfinite(number); });
}

/// What differs between what a kernel has computed and what it means, which is finite: nothing is near an infinity.
static std::string compare(Operation *op, std::vector<Numbers> got, std::vector<Numbers> want) {
  std::string problems;
  auto rows = dyn_cast<kern::RowKernel>(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (rows && rows.isColumnSum(i))
      got[i] = sumEntries(got[i], Numbers(want[i].size(), 0.0));
    if (!isFinite(want[i]))
      problems += llvm::formatv("result {0} means numbers that are not finite\n", i);
    want[i].resize(std::min(want[i].size(), got[i].size()));
    if (double e = excess(got[i], want[i], getElementTypeOrSelf(result.getType())); !(e < toleranceOf(op)))
      problems += llvm::formatv("result {0} differs by {1:e}\n", i, e);
  }
  return problems;
}

std::string stretto::test::checkKernel(Operation *op, const CudaLibrary &library, uint64_t seed, Part part,
                                       llvm::function_ref<void(std::vector<Numbers> &)> change) {
  std::vector<Numbers> inputs = kernelInputs(op, seed), given = inputs, first;
  if (change)
    change(given);
  std::string text, problems;
  llvm::raw_string_ostream(text) << *op;
  running = llvm::formatv("inputs of seed {0}\n{1}", seed, text);
  stretto_emulator_set_report(say);
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_FULL);
  for (uint64_t order = 0; order < 3 && problems.empty(); ++order) {
    stretto_emulator_set_seed(order);
    std::vector<Numbers> got = library.launch(op, given, {}, part.blocks);
    for (Numbers &numbers : got)
      numbers.resize(std::min<int64_t>(numbers.size(), part.numbers));
    if (order == 0)
      problems = compare(op, first = got, meaning(op, inputs));
    else if (!sameBits(got, first))
      problems = llvm::formatv("order {0} gives other bits\n", order);
  }
  if (auto rows = dyn_cast<kern::RowKernel>(op); rows && problems.empty())
    problems = checkInPlace(rows, library, inputs, first);
  return problems.empty() ? problems : problems + running + "\n";
}
