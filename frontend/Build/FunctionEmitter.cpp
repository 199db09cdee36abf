// Emits the operations of one function.
#include "frontend/Build/FunctionEmitter.h"

#include "ir/Seq/SeqOps.h"
#include "ir/Seq/SourceNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace stretto;

// ---------------------------------------------------------------- types and places

RankedTensorType Translator::type(const stretto::Type &type) const {
  llvm::SmallVector<int64_t> shape;
  for (const Dim &dim : type.dims)
    shape.push_back(dim.size);
  bool isTokens = type.kind == stretto::Type::Kind::Tokens;
  return RankedTensorType::get(shape, isTokens ? IntegerType::get(&context, 32) : elementType);
}

Location Translator::location(SourceRange range) const {
  if (!range.isValid())
    return UnknownLoc::get(&context);
  LineColumn place = sources.lineColumn(range.file, range.begin);
  return FileLineColLoc::get(&context, sources.name(range.file), place.line, place.column);
}

/// What a spec calls an operation.
static llvm::StringRef sourceName(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name).Case("tap", "shift").Case("scan", "repeat").Default(name);
}

Location Translator::location(const Op &op, const Function &function) const {
  Location loc = nameOperation(location(op.range), sourceName(op.name));
  llvm::StringRef name = op.results.size() == 1 ? llvm::StringRef(function.values[op.results[0]].name) : "";
  if (!name.empty())
    loc = NameLoc::get(StringAttr::get(&context, name), loc);
  if (op.callSites.empty())
    return loc;
  Location caller = location(op.callSites.back());
  for (SourceRange site : llvm::reverse(llvm::ArrayRef(op.callSites).drop_back()))
    caller = CallSiteLoc::get(location(site), caller);
  return CallSiteLoc::get(loc, caller);
}

// ---------------------------------------------------------------- operations

void FunctionEmitter::emit() {
  Block *block = builder.getInsertionBlock();
  for (const Op &op : function.ops) {
    loc = translator.location(op, function);
    Operation *last = block->empty() ? nullptr : &block->back();
    ValueList results = emitOp(op);
    for (auto [id, value] : llvm::zip_equal(op.results, results))
      values[id] = value;
    Operation *first = last ? last->getNextNode() : (block->empty() ? nullptr : &block->front());
    for (Operation *each = first; each; each = each->getNextNode()) {
      if (op.recompute)
        each->setAttr("seq.recompute", builder.getUnitAttr());
      if (op.noFuse)
        each->setAttr("seq.no_fuse", builder.getUnitAttr());
    }
  }
  ValueList results;
  for (ValueId result : function.results)
    results.push_back(values[result]);
  func::ReturnOp::create(builder, translator.location(function.range), results);
}

FunctionEmitter::ValueList FunctionEmitter::emitOp(const Op &op) {
  if (op.name == "call")
    return emitCall(op);
  if (op.name == "scan")
    return emitScan(op);
  if (Value value = emitElementwise(op))
    return {value};
  return {emitSequence(op)};
}

FunctionEmitter::ValueList FunctionEmitter::emitCall(const Op &op) {
  ValueList operands;
  for (ValueId id : op.operands)
    operands.push_back(values[id]);
  llvm::SmallVector<mlir::Type> types;
  for (size_t i = 0; i < op.results.size(); ++i)
    types.push_back(resultType(op, i));
  auto call = func::CallOp::create(builder, loc, program.functions[op.callee].name, types, operands);
  return ValueList(call.getResults());
}

FunctionEmitter::ValueList FunctionEmitter::emitScan(const Op &op) {
  const Function &body = program.functions[op.callee];
  ValueList operands;
  for (ValueId id : op.operands)
    operands.push_back(values[id]);
  llvm::ArrayRef<Value> all = operands;
  llvm::ArrayRef<Value> carry = all.take_front(body.arguments.size());
  llvm::ArrayRef<Value> slices = all.slice(carry.size(), body.weights.size());
  llvm::ArrayRef<Value> invariants = all.take_back(body.invariants.size());
  auto scan = seq::ScanOp::create(builder, loc, ValueRange(carry).getTypes(), body.name, op.integer("trips"),
                                  /*reverse=*/false, carry, slices, invariants);
  return ValueList(scan.getResults());
}

Value FunctionEmitter::splat(double value, mlir::Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto number = FloatAttr::get(tensor.getElementType(), value);
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(tensor, number.getValue()));
}

/// Null if the operation is not elementwise.
Value FunctionEmitter::emitElementwise(const Op &op) {
  llvm::StringRef name = op.name;
  if (name == "constant")
    return splat(op.real("value"), resultType(op));
  if (op.operands.size() == 1)
    return emitUnary(op, operand(op, 0));
  if (op.operands.size() != 2)
    return nullptr;
  Value a = operand(op, 0), b = operand(op, 1);
  if (name == "add")
    return arith::AddFOp::create(builder, loc, a, b);
  if (name == "sub")
    return arith::SubFOp::create(builder, loc, a, b);
  if (name == "mul")
    return arith::MulFOp::create(builder, loc, a, b);
  if (name == "div")
    return arith::DivFOp::create(builder, loc, a, b);
  if (name == "min")
    return arith::MinimumFOp::create(builder, loc, a, b);
  if (name == "max")
    return arith::MaximumFOp::create(builder, loc, a, b);
  return nullptr;
}

Value FunctionEmitter::emitUnary(const Op &op, Value x) {
  llvm::StringRef name = op.name;
  if (name == "neg")
    return arith::NegFOp::create(builder, loc, x);
  if (name == "exp")
    return math::ExpOp::create(builder, loc, x);
  if (name == "log")
    return math::LogOp::create(builder, loc, x);
  if (name == "sqrt")
    return math::SqrtOp::create(builder, loc, x);
  if (name == "rsqrt")
    return math::RsqrtOp::create(builder, loc, x);
  if (name == "tanh")
    return math::TanhOp::create(builder, loc, x);
  if (name == "sigmoid")
    return seq::SigmoidOp::create(builder, loc, x.getType(), x);
  if (name == "softplus")
    return seq::SoftplusOp::create(builder, loc, x.getType(), x);
  if (name == "silu")
    return arith::MulFOp::create(builder, loc, x, seq::SigmoidOp::create(builder, loc, x.getType(), x));
  if (name == "square")
    return arith::MulFOp::create(builder, loc, x, x);
  if (name == "relu")
    return arith::MaximumFOp::create(builder, loc, x, splat(0, x.getType()));
  if (name == "gelu")
    return emitGelu(x);
  return nullptr;
}

/// x/2 * (1 + erf(x / sqrt 2))
Value FunctionEmitter::emitGelu(Value x) {
  Value scaled = arith::MulFOp::create(builder, loc, x, splat(std::sqrt(0.5), x.getType()));
  Value erf = math::ErfOp::create(builder, loc, scaled);
  Value sum = arith::AddFOp::create(builder, loc, erf, splat(1, x.getType()));
  Value half = arith::MulFOp::create(builder, loc, x, splat(0.5, x.getType()));
  return arith::MulFOp::create(builder, loc, half, sum);
}

Value FunctionEmitter::emitAttention(const Op &op) {
  Value q = operand(op, 0), k = operand(op, 1), v = operand(op, 2);
  auto type = cast<RankedTensorType>(q.getType());
  int64_t heads = op.integer("heads");
  auto lse = RankedTensorType::get({type.getDimSize(0), heads, type.getDimSize(1)}, type.getElementType());
  double scale = 1 / std::sqrt(double(type.getDimSize(2) / heads));
  return seq::AttentionOp::create(builder, loc, type, lse, q, k, v, Value(), Value(), heads, op.integer("kv_heads"), llvm::APFloat(scale),
                                  op.flag("causal"))
      .getOut();
}

Value FunctionEmitter::emitSequence(const Op &op) {
  llvm::StringRef name = op.name;
  if (name == "softmax_attention")
    return emitAttention(op);
  RankedTensorType type = resultType(op);
  Value x = operand(op, 0);
  if (name == "broadcast")
    return seq::BroadcastOp::create(builder, loc, type, x, llvm::ArrayRef<int64_t>{type.getRank() - 1});
  if (name == "embed")
    return seq::EmbedOp::create(builder, loc, type, x, operand(op, 1));
  if (name == "linear")
    return seq::LinearOp::create(builder, loc, type, x, operand(op, 1));
  if (name == "rms_norm")
    return seq::RmsNormOp::create(builder, loc, type, x, operand(op, 1), llvm::APFloat(op.real("eps")),
                                  op.integer("heads"));
  if (name == "layer_norm")
    return seq::LayerNormOp::create(builder, loc, type, x, operand(op, 1), operand(op, 2),
                                    llvm::APFloat(op.real("eps")), op.integer("heads"));
  if (name == "canon")
    return seq::CanonOp::create(builder, loc, type, x, operand(op, 1), op.operands.size() > 2 ? operand(op, 2) : Value(),
                                op.flag("residual"), *seq::symbolizeActivation(op.text("activation")));
  if (name == "tap")
    return seq::TapOp::create(builder, loc, type, x, op.integer("offset"));
  if (name == "rotary")
    return seq::RotaryOp::create(builder, loc, type, *seq::symbolizePairStyle(op.text("style")), x, op.integer("heads"),
                                 op.integer("rotated"), op.integer("rotated_heads"), llvm::APFloat(op.real("theta")));
  if (name == "slice")
    return seq::SliceOp::create(builder, loc, type, x, op.integer("offset"));
  if (name == "concat") {
    ValueList inputs;
    for (ValueId id : op.operands)
      inputs.push_back(values[id]);
    return seq::ConcatOp::create(builder, loc, type, inputs);
  }
  llvm_unreachable("an operation that the elaborator does not make");
}
