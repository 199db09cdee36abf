//===- Expressions.cpp - one operation as one Python expression -----------------===//
#include "codegen/facts/NumberAttributes.h"
#include "codegen/pytorch/FunctionPrinter.h"
#include "codegen/pytorch/Prelude.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using python::Binding;

using Text = FailureOr<python::Expression>;

static Text atom(const Twine &text) { return python::Expression{text.str()}; }

/// The number that a tensor holds everywhere; nothing if it holds several.
static std::optional<APFloat> splatOf(arith::ConstantOp constant) {
  auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!elements || !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

static bool isNumber(Value value) { return value.getDefiningOp<arith::ConstantOp>() != nullptr; }

/// Whether the operation gives the right shape when one operand has fewer dimensions, or is a number.
static bool spreadsOperands(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::MaximumFOp, arith::MinimumFOp>(op) &&
         llvm::any_of(op->getOperands(),
                      [](Value operand) { return !isNumber(operand) && !operand.getDefiningOp<seq::BroadcastOp>(); });
}

/// Whether a value is read as the place of a dropout, perhaps repeated, which is one number.
static bool isPlace(OpOperand &use) {
  if (auto broadcast = dyn_cast<seq::BroadcastOp>(use.getOwner()))
    return llvm::all_of(broadcast->getUses(), isPlace);
  auto dropout = dyn_cast<seq::DropoutOp>(use.getOwner());
  return dropout && use.get() == dropout.getPlace();
}

/// Whether an operand may have fewer dimensions than the result, or be a number.
static bool isSpread(OpOperand &use) { return spreadsOperands(use.getOwner()) || isPlace(use); }

/// A layer norm without bias has a bias of zeros.
static bool isAbsentBias(OpOperand &use) {
  auto constant = use.get().getDefiningOp<arith::ConstantOp>();
  std::optional<APFloat> value = constant ? splatOf(constant) : std::nullopt;
  return value && value->isZero() && isa<seq::LayerNormOp>(use.getOwner()) && use.getOperandNumber() == 2;
}

Text FunctionPrinter::expression(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::optional<APFloat> value = splatOf(constant);
    auto isWritten = [](OpOperand &use) { return isSpread(use) || isAbsentBias(use); };
    if (!value || !llvm::all_of(op->getUses(), isWritten))
      return op->emitError() << "only numbers in arithmetic with tensors have a PyTorch form";
    return python::Expression{python::number(*value), value->isNegative() ? Binding::Negation : Binding::Atom};
  }
  if (isa<seq::GetParameterOp>(op))
    return readParameter(op);
  if (auto call = dyn_cast<func::CallOp>(op)) {
    SmallVector<std::string> arguments;
    for (Value operand : op->getOperands())
      arguments.push_back(text(operand));
    return atom(this->call(op, arguments, [](seq::ParameterOp) { return std::string(); }));
  }
  if (isa<seq::BroadcastOp>(op))
    return broadcast(op);
  if (op->hasTrait<OpTrait::Elementwise>())
    return elementwise(op);
  return layer(op);
}

Text FunctionPrinter::readParameter(Operation *op) {
  seq::ParameterOp parameter = parameterOf(op->getResult(0));
  if (parameter.getParts().size() != 1)
    return op->emitError() << "a parameter must have one part to have a PyTorch form, but got "
                           << parameter.getParts().size();
  auto isSlice = [](OpOperand &use) {
    auto scan = dyn_cast<seq::ScanOp>(use.getOwner());
    return scan && scan.isSlice(use.getOperandNumber());
  };
  for (OpOperand &use : op->getUses()) {
    if (isSlice(use) == parameter.getStacked())
      continue;
    InFlightDiagnostic error = op->emitError()
                               << (parameter.getStacked()
                                       ? "a stacked parameter must be read by scans only to have a PyTorch form"
                                       : "a parameter that is not stacked must not be the slice of a scan");
    error.attachNote(use.getOwner()->getLoc()) << "read here";
    return error;
  }
  return atom("self[" + python::quoted(weights.nameOf(op->getResult(0))->path) + "]");
}

/// Left out where the arithmetic that reads it repeats the operand by itself. Over rows of any batch and length where
/// there are some to ask.
Text FunctionPrinter::broadcast(Operation *op) {
  auto broadcast = cast<seq::BroadcastOp>(op);
  auto type = cast<RankedTensorType>(broadcast.getType());
  auto dims = broadcast.getDims();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != int64_t(type.getRank() - dims.size() + i))
      return op->emitError() << "only broadcasts of the last dimensions have a PyTorch form";
  Expression operand = values.lookup(broadcast.getOperand());
  if (llvm::all_of(op->getUses(), isSpread))
    return operand;
  if (std::string rows = someRows(type); dims.size() == 1 && !rows.empty())
    return atom(operand.within(Binding::Atom) + ".expand(*" + rows + ".shape[:2], -1)");
  std::string shape = llvm::join(llvm::map_range(type.getShape(), [](int64_t n) { return std::to_string(n); }), ", ");
  return atom(operand.within(Binding::Atom) + ".expand(" + shape + ")");
}

Text FunctionPrinter::extreme(Operation *op, llvm::StringRef helper) {
  auto zero = op->getOperand(1).getDefiningOp<arith::ConstantOp>();
  if (helper == "maximum" && zero && splatOf(zero)->isZero())
    return atom("torch.relu(" + text(op->getOperand(0)) + ")");
  return atom(helper + "(" + text(op->getOperand(0)) + ", " + text(op->getOperand(1)) + ")");
}

Text FunctionPrinter::elementwise(Operation *op) {
  auto unary = [&](llvm::StringRef function) { return atom(function + "(" + text(op->getOperand(0)) + ")"); };
  auto binary = [&](llvm::StringRef sign, Binding left, Binding right) {
    std::string a = values.lookup(op->getOperand(0)).within(left), b = values.lookup(op->getOperand(1)).within(right);
    return Text(python::Expression{(a + " " + sign + " " + b).str(), left});
  };
  return llvm::TypeSwitch<Operation *, Text>(op)
      .Case<arith::AddFOp>([&](auto) { return binary("+", Binding::Sum, Binding::Product); })
      .Case<arith::SubFOp>([&](auto) { return binary("-", Binding::Sum, Binding::Product); })
      .Case<arith::MulFOp>([&](auto) { return binary("*", Binding::Product, Binding::Negation); })
      .Case<arith::DivFOp>([&](auto) { return binary("/", Binding::Product, Binding::Negation); })
      .Case<arith::NegFOp>([&](auto) {
        std::string operand = values.lookup(op->getOperand(0)).within(Binding::Negation);
        return Text(python::Expression{("-" + Twine(operand)).str(), Binding::Negation});
      })
      .Case<arith::MaximumFOp>([&](auto) { return extreme(op, "maximum"); })
      .Case<arith::MinimumFOp>([&](auto) { return extreme(op, "minimum"); })
      .Case<math::ExpOp>([&](auto) { return unary("torch.exp"); })
      .Case<math::LogOp>([&](auto) { return unary("torch.log"); })
      .Case<math::SqrtOp>([&](auto) { return unary("torch.sqrt"); })
      .Case<math::RsqrtOp>([&](auto) { return unary("torch.rsqrt"); })
      .Case<math::TanhOp>([&](auto) { return unary("torch.tanh"); })
      .Case<math::SinOp>([&](auto) { return unary("torch.sin"); })
      .Case<math::CosOp>([&](auto) { return unary("torch.cos"); })
      .Case<math::ErfOp>([&](auto) { return unary("torch.erf"); })
      .Case<math::AbsFOp>([&](auto) { return unary("torch.abs"); })
      .Case<seq::SigmoidOp>([&](auto) { return unary("torch.sigmoid"); })
      .Case<seq::StopGradientOp>(
          [&](auto) { return atom(values.lookup(op->getOperand(0)).within(Binding::Atom) + ".detach()"); })
      .Case<seq::DropoutOp>([&](auto dropout) {
        return atom("dropout(" + text(dropout.getOperand()) + ", " + text(dropout.getPlace()) + ", " +
                    python::number(dropout.getRate()) + ", dropout_keys)");
      })
      // PyTorch's own threshold of 20 leaves an error of 2e-9.
      .Case<seq::SoftplusOp>([&](auto) { return atom("F.softplus(" + text(op->getOperand(0)) + ", threshold=40.0)"); })
      .Default([&](Operation *) { return op->emitError() << "the operation has no PyTorch form"; });
}

// ---------------------------------------------------------------- layers and matmuls

/// ", name=value", left out where it is what the helper takes for granted.
static std::string option(llvm::StringRef name, const Twine &value, bool isDefault = false) {
  return isDefault ? "" : (", " + name + "=" + value).str();
}

static std::string canonOptions(seq::CanonOp canon) {
  return option("residual", "True", !canon.getResidual()) +
         option("activation", "F.silu", canon.getActivation() == seq::Activation::none);
}

static std::string rotaryOptions(seq::RotaryOp rotary) {
  return option("heads", Twine(rotary.getHeads())) + option("rotated", Twine(rotary.getRotated())) +
         option("rotated_heads", Twine(rotary.getRotatedHeads())) + option("theta", python::number(rotary.getTheta())) +
         option("interleaved", "True", rotary.getStyle() == seq::PairStyle::half_split);
}

static std::string attentionOptions(seq::AttentionOp attention) {
  return option("heads", Twine(attention.getHeads())) + option("kv_heads", Twine(attention.getKvHeads())) +
         option("scale", python::number(attention.getScale())) + option("causal", "False", attention.getCausal()) +
         option("window", Twine(attention.getWindow().value_or(0)), !attention.getWindow()) +
         option("alibi", "True", !attention.getAlibi()) +
         (attention.getCap() ? option("cap", python::number(*attention.getCap())) : "");
}

static std::string mixerOptions(seq::MixerOp mixer) {
  return option("heads", Twine(mixer.getHeads())) +
         option("key_heads", Twine(mixer.getKeyHeads()), mixer.getKeyHeads() == mixer.getHeads()) +
         option("scale", python::number(mixer.getScale())) + option("read_before", "True", !mixer.getReadBefore());
}

/// Attributes by name, but what MLIR keeps for itself.
static std::string optionsOf(Operation *op) {
  std::string text;
  forEachNumber(op, [&](StringRef name, const NumberAttribute &value) {
    if (const auto *integer = std::get_if<int64_t>(&value))
      text += option(name, Twine(*integer));
    else if (const auto *real = std::get_if<APFloat>(&value))
      text += option(name, python::number(*real));
    else
      text += option(name, std::get<bool>(value) ? "True" : "False");
  });
  return text;
}

static std::string normOptions(const APFloat &eps, int64_t heads) {
  return option("eps", python::number(eps)) + option("heads", Twine(heads), heads == 1);
}

/// "x, w"
std::string FunctionPrinter::list(ValueRange operands) const {
  return llvm::join(llvm::map_range(operands, [&](Value operand) { return text(operand); }), ", ");
}

/// The same with names of operands that have one: "q, k, v, decay=a"
std::string FunctionPrinter::namedOperands(seq::LibraryOp op) const {
  std::string all;
  for (OpOperand &use : op->getOpOperands()) {
    StringRef name = op.getOperandName(use.getOperandNumber());
    all += (all.empty() ? "" : ", ") + (name.empty() ? "" : name.str() + "=") + text(use.get());
  }
  return all;
}

std::string FunctionPrinter::positionsOption() const {
  return option("positions", "positions", /*isDefault=*/!names.isMasked);
}

Text FunctionPrinter::formOf(seq::LinearOp op) {
  std::string matmul = "F.linear(" + list(op->getOperands().take_front(2)) + ")";
  if (!op.getResidual())
    return atom(matmul);
  return python::Expression{values.lookup(op.getResidual()).within(Binding::Sum) + " + " + matmul, Binding::Sum};
}

Text FunctionPrinter::formOf(seq::SliceOp op) {
  int64_t begin = op.getOffset(), end = begin + columnsOf(op.getResult());
  return atom(values.lookup(op.getOperand()).within(Binding::Atom) + "[..., " + Twine(begin) + ":" + Twine(end) + "]");
}

Text FunctionPrinter::formOf(seq::SpreadOp op) {
  if (llvm::all_of(op->getUses(), isPlace))
    return values.lookup(op.getOperand());
  int64_t times = columnsOf(op.getResult()) / columnsOf(op.getOperand());
  return atom(values.lookup(op.getOperand()).within(Binding::Atom) + ".repeat_interleave(" + Twine(times) + ", -1)");
}

/// A value with its heads as a dimension, in front of their columns.
static std::string ofHeads(const python::Expression &value, int64_t heads) {
  return (value.within(Binding::Atom) + ".unflatten(-1, (" + Twine(heads) + ", -1))").str();
}

/// Columns become heads with columns of their own, or the other way round.
Text FunctionPrinter::formOf(seq::ReshapeOp op) {
  auto from = typeOf(op.getOperand()), to = typeOf(op.getResult());
  const Expression &value = values.lookup(op.getOperand());
  if (to.getRank() == from.getRank() + 1 && to.getShape().drop_back(2) == from.getShape().drop_back())
    return atom(ofHeads(value, to.getDimSize(to.getRank() - 2)));
  if (to.getRank() + 1 == from.getRank() && to.getShape().drop_back() == from.getShape().drop_back(2))
    return atom(value.within(Binding::Atom) + ".flatten(-2)");
  return op.emitError() << "the operation has no PyTorch form";
}

Text FunctionPrinter::formOf(seq::SumOp op) {
  Expression operand = values.lookup(op.getOperand());
  int64_t heads = columnsOf(op.getResult());
  if (heads == 1)
    return atom(operand.within(Binding::Atom) + ".sum(-1, keepdim=True)");
  return atom(ofHeads(operand, heads) + ".sum(-1)");
}

Text FunctionPrinter::formOf(seq::SoftmaxOp op) {
  Expression operand = values.lookup(op.getOperand());
  if (op.getHeads() == 1)
    return atom("torch.softmax(" + text(op.getOperand()) + ", -1)");
  return atom("torch.softmax(" + ofHeads(operand, op.getHeads()) + ", -1).flatten(-2)");
}

Text FunctionPrinter::formOf(seq::KeepTopOp op) {
  return atom("keep_top(" + text(op.getOperand()) + ", " + Twine(op.getCount()) +
              option("heads", Twine(op.getHeads()), op.getHeads() == 1) + ")");
}

Text FunctionPrinter::formOf(seq::FullOp op) {
  std::string rows = someRows(op.getResult().getType());
  if (rows.empty())
    return op.emitError() << "in a block that reads no activations this has no PyTorch form";
  return atom("full(" + Twine(columnsOf(op.getResult())) + ", " + python::number(op.getValue()) + ", " + rows + ", " +
              someTensor() + ")");
}

Text FunctionPrinter::formOf(seq::BatchMeanOp op) {
  return atom(values.lookup(op.getOperand()).within(Binding::Atom) + ".mean((0, 1))");
}

Text FunctionPrinter::formOf(seq::LayerNormOp op) {
  std::string bias = isAbsentBias(op.getBiasMutable()) ? "None" : text(op.getBias());
  return atom("layer_norm(" + text(op.getOperand()) + ", " + text(op.getGain()) + ", " + bias +
              normOptions(op.getEps(), op.getHeads()) + ")");
}

Text FunctionPrinter::formOf(seq::ColumnIndexOp op) {
  if (typeOf(op.getResult()).getRank() != 1)
    return op.emitError() << "only the numbers of a row of columns have a PyTorch form";
  return atom("numbers(" + Twine(columnsOf(op.getResult())) + ", " + someTensor() + ")");
}

Text FunctionPrinter::formOf(seq::LayerNumbersOp op) {
  std::string values;
  for (double value : op.getNumbers())
    values += (values.empty() ? "" : ", ") + python::number(APFloat(value));
  return atom("layer_numbers([" + values + "], " + someTensor() + ")");
}

Text FunctionPrinter::formOf(seq::AttentionOp op) {
  if (!op.getLse().use_empty())
    return op.emitError() << "the log-sum-exp of attention has no PyTorch form";
  return atom("softmax_attention(" + namedOperands(op) + attentionOptions(op) + positionsOption() + ")");
}

Text FunctionPrinter::formOf(seq::MixerOp op) {
  if (op.getStates() && !op.getStates().use_empty())
    return op.emitError() << "the states of a mixer have no PyTorch form";
  return atom("linear_attention(" + namedOperands(op) + mixerOptions(op) + positionsOption() + ")");
}

Text FunctionPrinter::formOf(seq::LibraryOp op) {
  StringRef helper = op->getName().stripDialect();
  if (!isPyTorchHelper(helper))
    return op->emitError() << "the operation has no PyTorch form";
  std::string positions = isa<seq::DocumentsOp>(op.getOperation()) ? positionsOption() : "";
  return atom(helper + "(" + namedOperands(op) + optionsOf(op) + positions + ")");
}

Text FunctionPrinter::layer(Operation *op) {
  std::string all = list(op->getOperands());
  return llvm::TypeSwitch<Operation *, Text>(op)
      .Case([&](seq::PositionsOp) { return atom("positions"); })
      .Case([&](seq::TokenLossOp) { return atom("token_loss(" + all + ", targets)"); })
      .Case([&](seq::HeavisideOp) { return atom("heaviside(" + all + ")"); })
      .Case([&](seq::EmbedOp) { return atom("F.embedding(" + all + ")"); })
      .Case([&](seq::ConcatOp) { return atom("torch.cat((" + all + "), -1)"); })
      .Case([&](seq::TapOp tap) {
        return atom("shift(" + all + ", " + Twine(-int64_t(tap.getOffset())) + positionsOption() + ")");
      })
      .Case([&](seq::RmsNormOp norm) {
        return atom("rms_norm(" + all + normOptions(norm.getEps(), norm.getHeads()) + ")");
      })
      .Case([&](seq::L2NormOp norm) {
        return atom("l2_norm(" + all + normOptions(norm.getEps(), norm.getHeads()) + ")");
      })
      .Case([&](seq::CanonOp canon) { return atom("canon(" + all + canonOptions(canon) + positionsOption() + ")"); })
      .Case(
          [&](seq::RotaryOp rotary) { return atom("rotary(" + all + rotaryOptions(rotary) + positionsOption() + ")"); })
      .Case<seq::LinearOp, seq::ReshapeOp, seq::SliceOp, seq::SumOp, seq::SoftmaxOp, seq::KeepTopOp, seq::SpreadOp,
            seq::FullOp, seq::BatchMeanOp, seq::LayerNormOp, seq::ColumnIndexOp, seq::LayerNumbersOp, seq::AttentionOp,
            seq::MixerOp, seq::LibraryOp>([&](auto form) { return formOf(form); })
      .Default([&](Operation *) { return op->emitError() << "the operation has no PyTorch form"; });
}
