//===- KernelInputs.cpp - numbers on which a CUDA kernel is defined -------------===//
#include "KernelInputs.h"

#include "KernelLibrary.h"
#include "KernelMeaning.h"
#include "WalkRoles.h"

#include "ir/seq/TensorShape.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

namespace {
using Engine = std::mt19937_64;

bool isDefinedOn(Operation *op, const std::vector<Numbers> &inputs) {
  return llvm::all_of(meaning(op, inputs), [](const Numbers &numbers) {
    return llvm::all_of(numbers, [](double number) { return std::isfinite(number); });
  });
}

bool isReal(Value operand) { return isa<FloatType>(getElementTypeOrSelf(operand.getType())); }

//===- Row kernels and embeddings -------------------------------------------------===//

/// Most tokens are one id, so that lists of where a block's ids stand run over, or among the first, each half as often
/// as the one before; the others are any.
void drawTokens(Numbers &tokens, int64_t vocabulary, Engine &engine) {
  for (double &token : tokens) {
    uint64_t kind = engine() % 8, any = engine();
    token = static_cast<double>((kind < 5 ? 3 : kind < 7 ? llvm::countr_zero(any) : any) % vocabulary);
  }
}

/// In half of the rows one number far above all others: what is wrong with a maximum then shows in what exp makes of
/// it.
void raise(Numbers &numbers, int64_t width, Engine &engine) {
  for (size_t row = 0; row < numbers.size(); row += width)
    if (engine() % 2)
      numbers[row + engine() % width] = 128;
}

bool takesMaximum(Operation *op) {
  return op
      ->walk([](seq::ReduceOp reduce) {
        return reduce.getKind() == seq::ReduceKind::max ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Halves the magnitudes of operands of reals and makes all numbers of one negative where its bit of `negative` is set.
std::vector<Numbers> withSigns(Operation *op, std::vector<Numbers> inputs, uint64_t negative) {
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    for (double &number : inputs[i])
      if (isReal(operand))
        number = std::copysign(number / 2, negative >> i % 64 & 1 ? -1 : 1);
  return inputs;
}

/// Numbers on which the operation is defined, as roots, logarithms and exponentials of quotients are not on all, if
/// such ones are found: all are positive, or those of one operand are negative, or of any.
void findSigns(Operation *op, std::vector<Numbers> &inputs, Engine &engine) {
  constexpr unsigned attempts = 128;
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    uint64_t one = uint64_t(1) << (attempt - 1) % 64, negative = attempt == 0 ? 0 : attempt <= 64 ? one : engine();
    if (std::vector<Numbers> other = withSigns(op, inputs, negative); isDefinedOn(op, other)) {
      inputs = std::move(other);
      return;
    }
  }
}

//===- Walks ----------------------------------------------------------------------===//

/// From 0 in each document. Documents are short in the first chunk and long behind it; in every second sequence all are
/// short, and one of a single row begins where the second chunk does.
void drawPositions(Numbers &positions, int64_t time, int64_t chunk, Engine &engine) {
  for (size_t i = 0; i < positions.size(); ++i) {
    int64_t sequence = static_cast<int64_t>(i) / time, t = static_cast<int64_t>(i) % time;
    bool onlyShort = sequence % 2 == 1, isBorder = t == chunk || t == chunk + 1;
    bool begins = engine() % (onlyShort || t < chunk ? 16 : 128) == 0 || (onlyShort && isBorder);
    positions[i] = t == 0 || begins ? 0 : positions[i - 1] + 1;
  }
}

/// Most are so weak that states outlast chunks. In every second column (the other ones in every second sequence) some
/// are strong and some minus infinity. The factors are powers of two, so that no type rounds.
void drawLogarithms(Numbers &numbers, int64_t width, int64_t time, Engine &engine) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    int64_t row = static_cast<int64_t>(i) / width, column = static_cast<int64_t>(i) % width;
    bool mayBeStrong = (row / time + column) % 2 == 1;
    uint64_t kind = mayBeStrong ? engine() % 32 : 2;
    int exponent = kind == 1 ? 4 : -2 - static_cast<int>(engine() % 12);
    numbers[i] = kind == 0 ? -INFINITY : -std::ldexp(std::abs(numbers[i]), exponent);
  }
}

void normalizeRows(Numbers &numbers, int64_t width) {
  for (size_t row = 0; row < numbers.size(); row += width) {
    double squares = 0;
    for (int64_t i = 0; i < width; ++i)
      squares += numbers[row + i] * numbers[row + i];
    int halvings = std::ilogb(std::sqrt(squares)) + 1;
    for (int64_t i = 0; i < width; ++i)
      numbers[row + i] = std::ldexp(numbers[row + i], -halvings);
  }
}

void condition(kern::WalkOp op, std::vector<Numbers> &inputs, Engine &engine) {
  WalkRoles roles(op);
  int64_t time = op.getRows().second;
  for (auto [i, operand] : llvm::enumerate(op.getInputs())) {
    BlockArgument tile = op.getBody().getArgument(i);
    if (!isReal(operand))
      drawPositions(inputs[i], time, op.getChunk(), engine);
    else if (roles.isLogarithm(tile))
      drawLogarithms(inputs[i], columnsOf(operand), time, engine);
    else if (roles.isSolved(tile) && typeOf(tile).getRank() == 2)
      normalizeRows(inputs[i], columnsOf(operand) / op.getWindow(i).getParts());
    else if (roles.isSolved(tile))
      for (double &number : inputs[i])
        number = std::abs(number) / 2;
  }
}

//===- Mixers that are no walks ---------------------------------------------------===//

/// Decays, documents of few and of many tokens, and what is erased so that states do not grow.
template <typename Op> void conditionMixer(Op op, std::vector<Numbers> &inputs, Engine &engine) {
  auto of = [&](Value operand) -> Numbers & { return inputs[llvm::find(op->getOperands(), operand).getIndex()]; };
  int64_t time = typeOf(op.getV()).getDimSize(1), keys = op.getKeyColumns();
  if (op.getDecay())
    drawLogarithms(of(op.getDecay()), columnsOf(op.getDecay()), time, engine);
  if (op.getPositions())
    drawPositions(of(op.getPositions()), time, /*chunk=*/64, engine);
  for (Value strengths : {Value(op.getWrite()), Value(op.getBeta())})
    if (strengths)
      for (double &number : of(strengths))
        number = std::abs(number) / 2;
  for (Value keysErased : {op.getBeta() ? Value(op.getK()) : Value(), Value(op.getErase()), Value(op.getEraseWrite())})
    if (keysErased)
      normalizeRows(of(keysErased), keys);
}

//===- Matmuls ------------------------------------------------------------------===//

/// Sixteenths, of the weight so small ones that sums are of a few units: f32 adds them up exactly.
void condition(kern::MatmulOp op, std::vector<Numbers> &inputs) {
  int digits = static_cast<int>(llvm::Log2_64_Ceil(op.getDepth())) / 2;
  for (double &number : inputs[0])
    number = std::round(number * 16) / 16;
  for (double &number : inputs[1])
    number = std::ldexp(std::round(number * 16) / 16, -digits);
}
} // namespace

std::vector<Numbers> stretto::test::kernelInputs(Operation *op, uint64_t seed) {
  Engine engine(seed);
  std::vector<Numbers> inputs;
  for (Type type : op->getOperandTypes())
    inputs.push_back(randomNumbers(type, seed++));
  if (auto embed = dyn_cast<seq::EmbedOp>(op))
    drawTokens(inputs[0], rowsOf(embed.getTable()), engine);
  if (auto grad = dyn_cast<seq::EmbedGradOp>(op))
    drawTokens(inputs[0], rowsOf(grad.getResult()), engine);
  if (auto walk = dyn_cast<kern::WalkOp>(op))
    condition(walk, inputs, engine);
  if (auto matmul = dyn_cast<kern::MatmulOp>(op))
    condition(matmul, inputs);
  if (auto mixer = dyn_cast<seq::MixerOp>(op))
    conditionMixer(mixer, inputs, engine);
  if (auto grad = dyn_cast<seq::MixerGradOp>(op)) {
    conditionMixer(grad, inputs, engine);
    inputs[llvm::find(op->getOperands(), grad.getStates()).getIndex()] = statesBefore(grad, inputs);
  }
  if (takesMaximum(op) && !isa<kern::MatmulOp>(op))
    for (auto [operand, numbers] : llvm::zip_equal(op->getOperands(), inputs))
      if (isReal(operand)) {
        raise(numbers, columnsOf(operand), engine);
        break;
      }
  if (!isa<kern::WalkOp>(op) && !isDefinedOn(op, inputs))
    findSigns(op, inputs, engine);
  return inputs;
}
