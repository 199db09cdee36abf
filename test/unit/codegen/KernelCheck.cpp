//===- KernelCheck.cpp - a CUDA kernel against what its operation means ---------===//
#include "CudaLibrary.h"
#include "TileInterpreter.h"

#include "codegen/cuda/KernelFunction.h"
#include "runtime/abi/emulator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

//===- What operations mean -----------------------------------------------------===//

static int64_t lastOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape().back(); }
static int64_t sizeOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

static Numbers sumEntries(const Numbers &entries, Numbers sum) {
  for (size_t i = 0; i < entries.size(); ++i)
    sum[i % sum.size()] += entries[i];
  return sum;
}

static Numbers chooseRows(seq::EmbedOp op, const std::vector<Numbers> &inputs) {
  Numbers rows;
  int64_t width = lastOf(op.getResult());
  for (double token : inputs[0])
    rows.insert(rows.end(), inputs[1].begin() + token * width, inputs[1].begin() + (token + 1) * width);
  return rows;
}

static Numbers addRows(seq::EmbedGradOp op, const std::vector<Numbers> &inputs) {
  int64_t width = lastOf(op.getResult());
  Numbers table = op.getAccumulator() ? inputs[2] : Numbers(sizeOf(op.getResult()), 0.0);
  for (size_t i = 0; i < inputs[1].size(); ++i)
    table[inputs[0][i / width] * width + i % width] += inputs[1][i];
  return table;
}

static std::vector<Numbers> meaning(Operation *op, const std::vector<Numbers> &inputs) {
  return llvm::TypeSwitch<Operation *, std::vector<Numbers>>(op)
      .Case([&](kern::RowwiseOp rowwise) { return interpret(rowwise, inputs); })
      .Case([&](kern::WalkOp walk) { return interpretWalk(walk, inputs); })
      .Case([&](kern::SumPartialsOp sum) {
        Numbers start = sum.getAccumulator() ? inputs[1] : Numbers(sizeOf(sum.getResult()), 0.0);
        return std::vector<Numbers>{sumEntries(inputs[0], start)};
      })
      .Case([&](seq::EmbedOp embed) { return std::vector<Numbers>{chooseRows(embed, inputs)}; })
      .Case([&](seq::EmbedGradOp grad) { return std::vector<Numbers>{addRows(grad, inputs)}; });
}

//===- Numbers ------------------------------------------------------------------===//

static bool hasNaN(const std::vector<Numbers> &all) {
  return llvm::any_of(all, [](const Numbers &numbers) {
    return llvm::any_of(numbers, [](double number) { return std::isnan(number); });
  });
}

/// Most tokens are one id, so that lists of where a block's ids stand run over, or among the first, each half as often
/// as the one before; the others are any.
static void drawTokens(Numbers &tokens, int64_t vocabulary, std::mt19937_64 &engine) {
  for (double &token : tokens) {
    uint64_t kind = engine() % 8, any = engine();
    token = static_cast<double>((kind < 5 ? 3 : kind < 7 ? llvm::countr_zero(any) : any) % vocabulary);
  }
}

/// In half of the rows one number far above all others: what is wrong with a maximum then shows in what exp makes of
/// it.
static void raise(Numbers &numbers, int64_t width, std::mt19937_64 &engine) {
  for (size_t row = 0; row < numbers.size(); row += width)
    if (engine() % 2)
      numbers[row + engine() % width] = 128;
}

static bool takesMaximum(Operation *op) {
  return op
      ->walk([](seq::ReduceOp reduce) {
        return reduce.getKind() == seq::ReduceKind::max ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Inputs on which the operation is defined: in [0, 1) where roots of what it reads (second moments, rates of decay)
/// ask for it; tokens in the table. Where it takes a maximum, its first operand of reals is raised.
static std::vector<Numbers> inputsOf(Operation *op, uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<Numbers> inputs;
  for (Type type : op->getOperandTypes())
    inputs.push_back(randomNumbers(type, seed++));
  if (auto embed = dyn_cast<seq::EmbedOp>(op))
    drawTokens(inputs[0], sizeOf(embed.getTable()) / lastOf(embed.getTable()), engine);
  if (auto grad = dyn_cast<seq::EmbedGradOp>(op))
    drawTokens(inputs[0], sizeOf(grad.getResult()) / lastOf(grad.getResult()), engine);
  if (takesMaximum(op))
    for (auto [operand, numbers] : llvm::zip_equal(op->getOperands(), inputs))
      if (isa<FloatType>(getElementTypeOrSelf(operand.getType()))) {
        raise(numbers, lastOf(operand), engine);
        break;
      }
  if (hasNaN(meaning(op, inputs)))
    for (Numbers &numbers : inputs)
      for (double &number : numbers)
        number = std::abs(number) / 2;
  return inputs;
}

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

/// Tiles that are rounded to bf16 are not so in the interpreter.
static double toleranceOf(kern::WalkOp op, bool isDouble) {
  bool rounds = op.walk([](arith::TruncFOp) { return WalkResult::interrupt(); }).wasInterrupted();
  return rounds ? 1e-2 : isDouble ? 1e-12 : 2e-6;
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
static std::string checkInPlace(kern::RowwiseOp op, const CudaLibrary &library, const std::vector<Numbers> &inputs,
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

/// What differs between what a kernel has computed and what it means.
static std::string compare(Operation *op, std::vector<Numbers> got, std::vector<Numbers> want) {
  std::string problems;
  auto rowwise = dyn_cast<kern::RowwiseOp>(op);
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    if (rowwise && rowwise.isColumnSum(i))
      got[i] = sumEntries(got[i], Numbers(want[i].size(), 0.0));
    want[i].resize(std::min(want[i].size(), got[i].size()));
    if (double e = excess(got[i], want[i], getElementTypeOrSelf(result.getType())); !(e < toleranceOf(op)))
      problems += llvm::formatv("result {0} differs by {1:e}\n", i, e);
  }
  return problems;
}

std::string stretto::test::checkKernel(Operation *op, const CudaLibrary &library, uint64_t seed, Part part) {
  std::vector<Numbers> inputs = inputsOf(op, seed), first;
  std::string text, problems;
  llvm::raw_string_ostream(text) << *op;
  running = llvm::formatv("inputs of seed {0}\n{1}", seed, text);
  stretto_emulator_set_report(say);
  stretto_emulator_set_checks(STRETTO_EMULATOR_CHECKS_FULL);
  for (uint64_t order = 0; order < 3 && problems.empty(); ++order) {
    stretto_emulator_set_seed(order);
    std::vector<Numbers> got = library.launch(op, inputs, {}, part.blocks);
    for (Numbers &numbers : got)
      numbers.resize(std::min<int64_t>(numbers.size(), part.numbers));
    if (order == 0)
      problems = compare(op, first = got, meaning(op, inputs));
    else if (!sameBits(got, first))
      problems = llvm::formatv("order {0} gives other bits\n", order);
  }
  if (auto rowwise = dyn_cast<kern::RowwiseOp>(op); rowwise && problems.empty())
    problems = checkInPlace(rowwise, library, inputs, first);
  return problems.empty() ? problems : problems + running + "\n";
}
