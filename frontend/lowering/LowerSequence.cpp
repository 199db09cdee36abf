// Lowers operations on sequences.
#include "frontend/lowering/Lowering.h"

#include "frontend/sema/builtins/MixerOperands.h"
#include "ir/seq/SeqOps.h"
#include "ir/seq/TensorShape.h"

#include <cmath>

using namespace mlir;
using namespace stretto;
using namespace stretto::frontend;

namespace {

llvm::APFloat real(const OpToLower &at, llvm::StringRef attribute) { return llvm::APFloat(at.op.real(attribute)); }

Lowered embed(const OpToLower &at) { return {at.make<seq::EmbedOp>(at.type(), at.operand(0), at.operand(1))}; }

Lowered linear(const OpToLower &at) { return {at.make<seq::LinearOp>(at.type(), at.operand(0), at.operand(1))}; }

/// A matmul by the weights of experts.
template <typename Op> Lowered byExperts(const OpToLower &at) {
  return {at.make<Op>(at.type(), at.operand(0), at.operand(1), at.operand(2), at.op.integer("chosen"))};
}

Lowered rmsNorm(const OpToLower &at) {
  return {at.make<seq::RmsNormOp>(at.type(), at.operand(0), at.operand(1), real(at, "eps"), at.op.integer("heads"))};
}

Lowered layerNorm(const OpToLower &at) {
  return {at.make<seq::LayerNormOp>(at.type(), at.operand(0), at.operand(1), at.operand(2), real(at, "eps"),
                                    at.op.integer("heads"))};
}

Lowered l2Norm(const OpToLower &at) {
  return {at.make<seq::L2NormOp>(at.type(), at.operand(0), real(at, "eps"), at.op.integer("heads"))};
}

Lowered canon(const OpToLower &at) {
  Value bias = at.operands.size() > 2 ? at.operand(2) : Value();
  return {at.make<seq::CanonOp>(at.type(), at.operand(0), at.operand(1), bias, at.op.flag("residual"),
                                *seq::symbolizeActivation(at.op.text("activation")))};
}

Lowered positions(const OpToLower &at) { return {at.make<seq::PositionsOp>(at.type())}; }

Lowered shift(const OpToLower &at) { return {at.make<seq::TapOp>(at.type(), at.operand(0), -at.op.integer("steps"))}; }

Lowered rotary(const OpToLower &at) {
  return {at.make<seq::RotaryOp>(at.type(), *seq::symbolizePairStyle(at.op.text("style")), at.operand(0),
                                 at.op.integer("heads"), at.op.integer("rotated"), at.op.integer("rotated_heads"),
                                 real(at, "theta"))};
}

/// Behind q, k and v stand sinks, a decay and a bias, as far as they are given.
Lowered softmaxAttention(const OpToLower &at) {
  RankedTensorType type = at.type();
  int64_t heads = at.op.integer("heads");
  auto lse = RankedTensorType::get({type.getDimSize(0), heads, type.getDimSize(1)}, type.getElementType());
  double scale = 1 / std::sqrt(double(columnsOf(at.operand(0)) / heads));
  int64_t window = at.op.integer("window");
  unsigned next = 3;
  auto given = [&](llvm::StringRef flag) { return at.op.flag(flag) ? at.operand(next++) : Value(); };
  Value sinks = given("has_sinks"), decay = given("has_decay"), bias = given("has_bias");
  auto share = RankedTensorType::get({type.getDimSize(0), type.getDimSize(1), heads}, type.getElementType());
  auto attention = at.make<seq::AttentionOp>(
      type, lse, sinks ? share : RankedTensorType(), at.operand(0), at.operand(1), at.operand(2), sinks, decay, bias,
      /*positions=*/Value(), /*starts=*/Value(), heads, at.op.integer("kv_heads"), llvm::APFloat(scale),
      at.op.flag("causal"), IntegerAttr(), at.op.flag("alibi"), FloatAttr());
  if (window > 0)
    attention.setWindow(window);
  if (double cap = at.op.real("cap"); cap > 0)
    attention.setCap(llvm::APFloat(cap));
  return {attention.getOut()};
}

/// Behind q, k and v stand those of the other operands that are given.
Lowered linearAttention(const OpToLower &at) {
  constexpr int64_t segment = 256; // tokens from one saved state to the next
  llvm::SmallVector<Value, 5> given;
  size_t next = 3;
  for (const MixerOperand &each : mixerOperands)
    given.push_back(at.op.flag(each.attribute) ? at.operand(next++) : Value());
  return {at.make<seq::MixerOp>(at.type(), /*states=*/mlir::Type(), at.operand(0), at.operand(1), at.operand(2),
                                given[0], given[1], given[2], given[3], given[4], /*positions=*/Value(),
                                at.op.integer("heads"), at.op.integer("key_heads"), real(at, "scale"), segment,
                                at.op.flag("read_before"))
              .getOut()};
}

Lowered softmax(const OpToLower &at) {
  return {at.make<seq::SoftmaxOp>(at.type(), at.operand(0), at.op.integer("heads"))};
}

Lowered keepTop(const OpToLower &at) {
  return {at.make<seq::KeepTopOp>(at.type(), at.operand(0), at.op.integer("count"), at.op.integer("heads"))};
}

Lowered sum(const OpToLower &at) { return {at.make<seq::SumOp>(at.type(), at.operand(0))}; }

Lowered spread(const OpToLower &at) { return {at.make<seq::SpreadOp>(at.type(), at.operand(0))}; }

Lowered nextTokenLoss(const OpToLower &at) {
  return {at.make<seq::TokenLossOp>(at.type(), at.operand(0), /*targets=*/Value())};
}

Lowered batchMean(const OpToLower &at) { return {at.make<seq::BatchMeanOp>(at.type(), at.operand(0))}; }

Lowered stopGradient(const OpToLower &at) { return {at.make<seq::StopGradientOp>(at.type(), at.operand(0))}; }

Lowered dropout(const OpToLower &at) {
  return {at.make<seq::DropoutOp>(at.type(), at.operand(0), at.operand(1), /*keys=*/Value(), real(at, "rate"))};
}

Lowered full(const OpToLower &at) { return {at.make<seq::FullOp>(at.type(), llvm::APFloat(at.op.real("value")))}; }

Lowered numbers(const OpToLower &at) { return {at.make<seq::ColumnIndexOp>(at.type())}; }

Lowered layerNumbers(const OpToLower &at) {
  return {at.make<seq::LayerNumbersOp>(at.type(), at.builder.getF64ArrayAttr(at.op.reals("values")))};
}

/// Repeats a weight [width] over all rows.
Lowered broadcast(const OpToLower &at) {
  return {at.make<seq::BroadcastOp>(at.type(), at.operand(0), llvm::ArrayRef<int64_t>{at.type().getRank() - 1})};
}

/// The type of rows whose heads are a dimension of their own.
RankedTensorType splitHeads(RankedTensorType rows, int64_t heads) {
  llvm::SmallVector<int64_t> shape(rows.getShape());
  shape.back() /= heads;
  shape.insert(shape.end() - 1, heads);
  return rows.clone(shape);
}

/// What is done to columns, done to those of each head. `make` makes a result of a type from the operands.
template <typename Make> Lowered ofEachHead(const OpToLower &at, Make make) {
  int64_t heads = at.op.integer("heads");
  if (heads == 1)
    return {make(at.type(), at.operands)};
  llvm::SmallVector<Value> operands;
  for (Value operand : at.operands)
    operands.push_back(at.make<seq::ReshapeOp>(splitHeads(typeOf(operand), heads), operand));
  return {at.make<seq::ReshapeOp>(at.type(), make(splitHeads(at.type(), heads), operands))};
}

Lowered concat(const OpToLower &at) {
  return ofEachHead(at, [&](RankedTensorType type, ValueRange parts) { return at.make<seq::ConcatOp>(type, parts); });
}

Lowered slice(const OpToLower &at) {
  return ofEachHead(at, [&](RankedTensorType type, ValueRange whole) {
    return at.make<seq::SliceOp>(type, whole[0], at.op.integer("offset"));
  });
}

} // namespace

llvm::ArrayRef<Lowering> frontend::sequenceLowerings() {
  static const Lowering table[] = {
      {"embed", embed},
      {"linear", linear},
      {"expert_linear", byExperts<seq::ExpertLinearOp>},
      {"expert_sum", byExperts<seq::ExpertSumOp>},
      {"rms_norm", rmsNorm},
      {"layer_norm", layerNorm},
      {"l2_norm", l2Norm},
      {"canon", canon},
      {"positions", positions},
      {"shift", shift},
      {"rotary", rotary},
      {"softmax_attention", softmaxAttention},
      {"linear_attention", linearAttention},
      {"softmax", softmax},
      {"keep_top", keepTop},
      {"sum", sum},
      {"spread", spread},
      {"next_token_loss", nextTokenLoss},
      {"batch_mean", batchMean},
      {"stop_gradient", stopGradient},
      {"dropout", dropout},
      {"full", full},
      {"numbers", numbers},
      {"broadcast", broadcast},
      {"layer_numbers", layerNumbers},
      {"concat", concat},
      {"slice", slice},
  };
  return table;
}
