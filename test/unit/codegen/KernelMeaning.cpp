//===- KernelMeaning.cpp - what the operation of a kernel means, slowly ---------===//
#include "KernelMeaning.h"

#include "TileInterpreter.h"

#include "ir/seq/TensorShape.h"
#include "test/unit/support/recurrence.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::test;

Numbers stretto::test::sumEntries(const Numbers &entries, Numbers sum) {
  for (size_t i = 0; i < entries.size(); ++i)
    sum[i % sum.size()] += entries[i];
  return sum;
}

static Numbers chooseRows(seq::EmbedOp op, const std::vector<Numbers> &inputs) {
  Numbers rows;
  int64_t width = columnsOf(op.getResult());
  for (double token : inputs[0])
    rows.insert(rows.end(), inputs[1].begin() + token * width, inputs[1].begin() + (token + 1) * width);
  return rows;
}

static Numbers addRows(seq::EmbedGradOp op, const std::vector<Numbers> &inputs) {
  int64_t width = columnsOf(op.getResult());
  Numbers table = op.getAccumulator() ? inputs[2] : Numbers(elementsOf(op.getResult()), 0.0);
  for (size_t i = 0; i < inputs[1].size(); ++i)
    table[inputs[0][i / width] * width + i % width] += inputs[1][i];
  return table;
}

/// What mixers and their gradients have in common; `first`: the number of q among the operands.
template <typename Op>
static std::pair<MixerSizes, MixerNumbers> mixerOf(Op op, const std::vector<Numbers> &inputs, unsigned first) {
  RankedTensorType rows = typeOf(op.getV());
  MixerSizes sizes{rows.getDimSize(0),
                   rows.getDimSize(1),
                   static_cast<int64_t>(op.getHeads()),
                   static_cast<int64_t>(op.getKeyHeads()),
                   op.getKeyColumns(),
                   op.getValueColumns()};
  sizes.scale = op.getScale().convertToDouble(), sizes.byChannel = op.decaysByChannel();
  sizes.segment = op.getSegment(), sizes.headsOfPart = op.getHeadsOfPart(), sizes.before = op.getReadBefore();
  sizes.shared = op.getDecay() && typeOf(op.getDecay()).getRank() == 1;
  size_t next = first; // operands that are given lie one behind the other
  auto take = [&](Value operand) { return operand ? inputs[next++] : Numbers(); };
  MixerNumbers numbers;
  numbers.q = take(op.getQ()), numbers.k = take(op.getK()), numbers.v = take(op.getV());
  numbers.decay = take(op.getDecay()), numbers.write = take(op.getWrite()), numbers.beta = take(op.getBeta());
  numbers.erase = take(op.getErase()), numbers.eraseWrite = take(op.getEraseWrite());
  Numbers positions = take(op.getPositions());
  numbers.positions.assign(positions.begin(), positions.end());
  return {sizes, numbers};
}

static std::vector<Numbers> mix(seq::MixerOp op, const std::vector<Numbers> &inputs) {
  auto [sizes, numbers] = mixerOf(op, inputs, 0);
  numbers.grad.assign(numbers.v.size(), 0.0);
  MixerResults results = runRecurrence(sizes, numbers);
  std::vector<Numbers> given{results.out};
  if (op.getStates())
    given.push_back(results.states);
  return given;
}

Numbers stretto::test::statesBefore(seq::MixerGradOp op, const std::vector<Numbers> &inputs) {
  auto [sizes, numbers] = mixerOf(op, inputs, 1);
  numbers.grad = inputs[0];
  return runRecurrence(sizes, numbers).states;
}

static std::vector<Numbers> mixBack(seq::MixerGradOp op, const std::vector<Numbers> &inputs) {
  auto [sizes, numbers] = mixerOf(op, inputs, 1);
  numbers.grad = inputs[0];
  MixerResults results = runRecurrence(sizes, numbers);
  std::vector<Numbers> gradients{results.dq, results.dk, results.dv};
  std::pair<Value, Numbers> others[] = {{op.getDdecay(), results.dDecay},
                                        {op.getDwrite(), results.dWrite},
                                        {op.getDbeta(), results.dBeta},
                                        {op.getDerase(), results.dErase},
                                        {op.getDeraseWrite(), results.dEraseWrite}};
  for (const auto &[isWanted, gradient] : others)
    if (isWanted)
      gradients.push_back(gradient);
  return gradients;
}

/// The body of a matmul of bf16 rounds what it reads: as inputs are (KernelInputs.cpp), sums have no other error.
static std::vector<Numbers> multiplyAndGoOn(kern::MatmulOp op, const std::vector<Numbers> &inputs, Reals reals) {
  bool isTransposed = op.getForm() == kern::WeightForm::transposed;
  std::vector<Numbers> arguments{multiply(inputs[0], inputs[1], op.getDepth(), op.getColumns(), isTransposed)};
  if (typeOf(op.getLhs()).getElementType().isBF16())
    for (double &number : arguments[0])
      number = roundedToBf16(number);
  arguments.insert(arguments.end(), inputs.begin() + 2, inputs.end());
  return interpret(op, arguments, reals);
}

std::vector<Numbers> stretto::test::meaning(Operation *op, const std::vector<Numbers> &inputs, Reals reals) {
  return llvm::TypeSwitch<Operation *, std::vector<Numbers>>(op)
      .Case([&](kern::RowwiseOp rowwise) { return interpret(rowwise, inputs, reals); })
      .Case([&](kern::MatmulOp matmul) { return multiplyAndGoOn(matmul, inputs, reals); })
      .Case([&](kern::WalkOp walk) { return interpretWalk(walk, inputs, reals); })
      .Case([&](kern::SumPartialsOp sum) {
        std::vector<Numbers> sums;
        for (auto [i, result] : llvm::enumerate(sum.getSums())) {
          Numbers start = sum.getAccumulator() ? inputs[1] : Numbers(elementsOf(result), 0.0);
          sums.push_back(sumEntries(inputs[i], start));
        }
        return sums;
      })
      .Case([&](seq::EmbedOp embed) { return std::vector<Numbers>{chooseRows(embed, inputs)}; })
      .Case([&](seq::EmbedGradOp grad) { return std::vector<Numbers>{addRows(grad, inputs)}; })
      .Case([&](seq::MixerOp mixer) { return mix(mixer, inputs); })
      .Case([&](seq::MixerGradOp grad) { return mixBack(grad, inputs); });
}
