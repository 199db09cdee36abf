//===- Numbers.cpp - functions and bf16 -----------------------------------------===//
#include "codegen/emulator/Emulation.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// `element`, in a vector where `shape` is one.
static Type like(Type shape, Type element) {
  auto vector = dyn_cast<VectorType>(shape);
  return vector ? Type(vector.clone(element)) : element;
}

static Value constant(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    return LLVM::ConstantOp::create(b, type, DenseElementsAttr::get(vector, Attribute(value)));
  return LLVM::ConstantOp::create(b, type, value);
}

static Value word(ImplicitLocOpBuilder &b, Type shape, int32_t value) {
  return constant(b, like(shape, b.getI32Type()), b.getI32IntegerAttr(value));
}

static void replace(Operation *op, Value value) {
  op->replaceAllUsesWith(ValueRange{value});
  op->erase();
}

//===- Functions ----------------------------------------------------------------===//

/// What a function of libdevice is called in libm, without the f of single precision; empty if it is not there.
static StringRef nameInLibm(StringRef name, bool isSingle) {
  static const llvm::StringSet<> names = {"acos", "acosh",    "asin",  "asinh", "atan", "atan2", "atanh", "cbrt",
                                          "ceil", "copysign", "cos",   "cosh",  "erf",  "erfc",  "exp",   "exp10",
                                          "exp2", "expm1",    "fabs",  "floor", "fma",  "fmax",  "fmin",  "fmod",
                                          "log",  "log10",    "log1p", "log2",  "pow",  "rint",  "round", "rsqrt",
                                          "sin",  "sinh",     "sqrt",  "tan",   "tanh", "trunc"};
  if (!name.consume_front("__nv_"))
    return "";
  name.consume_front("fast_");
  if (isSingle && !name.consume_back("f"))
    return "";
  return names.contains(name) ? name : "";
}

/// 1 / value, or 1 / sqrt(value).
static Value reciprocal(ImplicitLocOpBuilder &b, Value value, bool ofRoot) {
  Type type = value.getType();
  Value one = LLVM::ConstantOp::create(b, type, b.getFloatAttr(type, 1));
  return LLVM::FDivOp::create(b, one, ofRoot ? LLVM::SqrtOp::create(b, value) : value);
}

static LogicalResult rewriteLibdevice(LLVM::CallOp call, Emulation &emulation) {
  Type type = call.getNumResults() == 1 ? call.getResult().getType() : Type();
  bool isReal = type && (type.isF32() || type.isF64()) && llvm::all_equal(call.getOperandTypes()) &&
                call.getNumOperands() > 0 && call.getOperand(0).getType() == type;
  StringRef name = isReal ? nameInLibm(*call.getCallee(), type.isF32()) : "";
  if (name.empty())
    return call.emitOpError() << "of " << *call.getCallee() << " is not known to the emulator";
  auto b = emulation.at(call);
  if (name == "rsqrt") {
    replace(call, reciprocal(b, call.getOperand(0), true));
    return success();
  }
  std::string libm = (name + (type.isF32() ? "f" : "")).str();
  auto function = emulation.declare(libm, type, llvm::to_vector(call.getOperandTypes()));
  replace(call, LLVM::CallOp::create(b, function, call.getOperands()).getResult());
  return success();
}

LogicalResult stretto::codegen::rewriteCall(Operation *op, Emulation &emulation) {
  auto call = cast<LLVM::CallOp>(op);
  if (!call.getCallee())
    return op->emitOpError("through a pointer is not known to the emulator");
  auto function = dyn_cast_or_null<LLVM::LLVMFuncOp>(emulation.lookup(*call.getCallee()));
  if (!function || function.isExternal())
    return rewriteLibdevice(call, emulation);
  auto b = emulation.at(op);
  SmallVector<Value> arguments = {emulation.self()};
  llvm::append_range(arguments, call.getOperands());
  auto symbol = FlatSymbolRefAttr::get(op->getContext(), (*call.getCallee() + ".device").str());
  auto next = LLVM::CallOp::create(b, op->getResultTypes(), symbol, arguments);
  op->replaceAllUsesWith(next);
  op->erase();
  return success();
}

LogicalResult stretto::codegen::rewriteReciprocal(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  replace(op, reciprocal(b, op->getOperand(0), false));
  return success();
}

/// To the nearest of 10 bits behind the point, ties away from zero; NaN becomes the hardware's, 0x7fffffff.
LogicalResult stretto::codegen::rewriteRoundToTF32(Operation *op, Emulation &emulation) {
  auto convert = cast<NVVM::ConvertFloatToTF32Op>(op);
  if (convert.getRnd() != NVVM::FPRoundingMode::RNA || convert.getSat() != NVVM::SaturationMode::NONE ||
      convert.getRelu())
    return op->emitOpError(
        "that does other than to round to the nearest, ties away (rna), is not known to the emulator");
  auto b = emulation.at(op);
  Type i32 = b.getI32Type();
  Value bits = LLVM::BitcastOp::create(b, i32, convert.getSrc());
  Value rounded = LLVM::AndOp::create(b, LLVM::AddOp::create(b, bits, word(b, i32, 1 << 12)), word(b, i32, -1 << 13));
  Value isNaN = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::uno, convert.getSrc(), convert.getSrc());
  replace(op, LLVM::SelectOp::create(b, isNaN, word(b, i32, 0x7fffffff), rounded));
  return success();
}

/// Approximations of the hardware become the functions of libm.
LogicalResult stretto::codegen::rewriteCallIntrinsic(Operation *op, Emulation &emulation) {
  auto call = cast<LLVM::CallIntrinsicOp>(op);
  auto b = emulation.at(op);
  StringRef name = call.getIntrin().take_until([](char c) { return c == '\0'; });
  StringRef function = name.substr(0, name.find(".approx"));
  bool isKnown = function != name && call.getNumOperands() == 1 && call.getOperand(0).getType().isF32();
  Value value = isKnown ? call.getOperand(0) : Value(), result;
  if (isKnown && function == "llvm.nvvm.ex2")
    result = LLVM::Exp2Op::create(b, value);
  else if (isKnown && function == "llvm.nvvm.lg2")
    result = LLVM::Log2Op::create(b, value);
  else if (isKnown && function == "llvm.nvvm.sqrt")
    result = LLVM::SqrtOp::create(b, value);
  else if (isKnown && (function == "llvm.nvvm.rsqrt" || function == "llvm.nvvm.rcp"))
    result = reciprocal(b, value, function == "llvm.nvvm.rsqrt");
  if (!result)
    return op->emitOpError() << "of " << name << " is not known to the emulator";
  replace(op, result);
  return success();
}

//===- bf16 ---------------------------------------------------------------------===//

static bool isBF16(Type type) { return getElementTypeOrSelf(type).isBF16(); }

bool stretto::codegen::usesBF16(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isBF16) || llvm::any_of(op->getResultTypes(), isBF16);
}

static Value toSingle(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  Value bits = LLVM::BitcastOp::create(b, like(type, b.getI16Type()), value);
  Value wide = LLVM::ZExtOp::create(b, like(type, b.getI32Type()), bits);
  Value high = LLVM::ShlOp::create(b, wide, word(b, type, 16));
  return LLVM::BitcastOp::create(b, like(type, b.getF32Type()), high);
}

/// To the nearest, ties to even; NaN becomes the hardware's, 0x7fff.
static Value fromSingle(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  Value bits = LLVM::BitcastOp::create(b, like(type, b.getI32Type()), value);
  Value sixteen = word(b, type, 16);
  Value last = LLVM::AndOp::create(b, LLVM::LShrOp::create(b, bits, sixteen), word(b, type, 1));
  Value half = LLVM::AddOp::create(b, last, word(b, type, 0x7fff));
  Value rounded = LLVM::LShrOp::create(b, LLVM::AddOp::create(b, bits, half), sixteen);
  Value isNaN = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::uno, value, value);
  Value chosen = LLVM::SelectOp::create(b, isNaN, word(b, type, 0x7fff), rounded);
  Value narrow = LLVM::TruncOp::create(b, like(type, b.getI16Type()), chosen);
  return LLVM::BitcastOp::create(b, like(type, b.getBF16Type()), narrow);
}

static LogicalResult rewriteConstant(LLVM::ConstantOp op, Emulation &emulation) {
  auto b = emulation.at(op);
  Type bits = like(op.getType(), b.getI16Type());
  Attribute value;
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    value = b.getIntegerAttr(b.getI16Type(), number.getValue().bitcastToAPInt());
  else if (auto numbers = dyn_cast<DenseElementsAttr>(op.getValue()))
    value = numbers.bitcast(b.getI16Type());
  else
    return op.emitOpError("of bf16 must be a number or dense numbers to be emulated");
  if (isa<IntegerAttr>(value) && isa<VectorType>(bits))
    value = DenseElementsAttr::get(cast<VectorType>(bits), value);
  Value result = LLVM::ConstantOp::create(b, bits, cast<TypedAttr>(value));
  replace(op, LLVM::BitcastOp::create(b, op.getType(), result));
  return success();
}

/// Arithmetic whose result in single precision, rounded once more, is the one of bf16.
static LogicalResult rewriteArithmetic(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  Operation *single = b.clone(*op);
  b.setInsertionPoint(single);
  for (OpOperand &operand : single->getOpOperands())
    operand.set(toSingle(b, operand.get()));
  Value result = single->getResult(0);
  b.setInsertionPointAfter(single);
  if (isBF16(result.getType())) {
    result.setType(like(result.getType(), b.getF32Type()));
    result = fromSingle(b, result);
  }
  replace(op, result);
  return success();
}

LogicalResult stretto::codegen::rewriteBF16(Operation *op, Emulation &emulation) {
  auto b = emulation.at(op);
  if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
    return rewriteConstant(constant, emulation);
  if (isa<LLVM::FPTruncOp>(op) && getElementTypeOrSelf(op->getOperand(0).getType()).isF32()) {
    replace(op, fromSingle(b, op->getOperand(0)));
    return success();
  }
  if (isa<LLVM::FPExtOp>(op)) {
    Value single = toSingle(b, op->getOperand(0));
    Type type = op->getResult(0).getType();
    replace(op, single.getType() == type ? single : LLVM::FPExtOp::create(b, type, single));
    return success();
  }
  if (isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FDivOp, LLVM::FNegOp, LLVM::FAbsOp, LLVM::FCmpOp,
          LLVM::MaxNumOp, LLVM::MinNumOp, LLVM::MaximumOp, LLVM::MinimumOp>(op))
    return rewriteArithmetic(op, emulation);
  return op->emitOpError("on bf16 is not known to the emulator");
}
