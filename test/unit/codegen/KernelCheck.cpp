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

/// Numbers of tiles that lie between two of bf16 may become the other one than in the interpreter: that is 2^-7 of the
/// largest, and there may be several. Factors of inverses are rounded to tf32 only where it looks at rounding. In f32,
/// where sums have 64 terms and go on through chunks, the largest differences of mixers are 6e-7.
static double toleranceOf(kern::WalkOp op, bool isDouble) {
  if (has<arith::TruncFOp>(op))
    return std::ldexp(1, -6);
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

/// How much more than `roundingErrors` a kernel may differ, between two ways of rounding: pairs of norms of pairs, of
/// f64, have shown 12, walks, whose inverses have so few digits that most of what they show is theirs, 1.1.
static double marginOf(Operation *op) { return isa<kern::WalkOp>(op) ? 2 : 16; }

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

/// What rounding of numbers changes in each result: much where sums cancel, or where one lies between two of bf16;
/// infinitely much where one is larger than those of f32 can be. Of f64 it is so much less than of f32 as its numbers
/// have more digits.
static std::vector<double> roundingErrors(Operation *op, const std::vector<Numbers> &inputs,
                                          const std::vector<Numbers> &want) {
  constexpr int moreDigits = 29;
  std::vector<double> errors;
  for (auto [other, numbers, result] : llvm::zip_equal(meaning(op, inputs, Reals::rounded), want, op->getResults())) {
    Type element = getElementTypeOrSelf(result.getType());
    double error = isFinite(other) ? excess(other, numbers, element) : INFINITY;
    errors.push_back(!element.isF64() ? error : std::isfinite(error) ? std::ldexp(error, -moreDigits) : 0);
  }
  return errors;
}

/// What differs between what a kernel has computed and what it means, which is finite: nothing is near an infinity.
static std::string compare(Operation *op, const std::vector<Numbers> &inputs, std::vector<Numbers> got) {
  std::vector<Numbers> want = meaning(op, inputs), exact = want;
  std::vector<double> errors;
  std::string problems;
  auto rows = dyn_cast<kern::RowKernel>(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (rows && rows.isColumnSum(i))
      got[i] = sumEntries(got[i], Numbers(want[i].size(), 0.0));
    if (!isFinite(want[i]))
      problems += llvm::formatv("result {0} means numbers that are not finite\n", i);
    want[i].resize(std::min(want[i].size(), got[i].size()));
    double e = excess(got[i], want[i], getElementTypeOrSelf(result.getType()));
    if (e < toleranceOf(op))
      continue;
    if (errors.empty())
      errors = roundingErrors(op, inputs, exact);
    if (!(e <= toleranceOf(op) + marginOf(op) * errors[i]))
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
      problems = compare(op, inputs, first = got);
    else if (!sameBits(got, first))
      problems = llvm::formatv("order {0} gives other bits\n", order);
  }
  if (auto rows = dyn_cast<kern::RowKernel>(op); rows && problems.empty())
    problems = checkInPlace(rows, library, inputs, first);
  return problems.empty() ? problems : problems + running + "\n";
}
