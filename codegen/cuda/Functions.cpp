//===- Functions.cpp - elementwise operations of device code ---------------------===//
#include "codegen/cuda/Functions.h"

#include "codegen/rows/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numbers>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// 2^x of f32 by one instruction, to two units in the last place.
static Value emitPowerOfTwo(CudaBuilder &b, Value x) {
  return LLVM::CallIntrinsicOp::create(b, b.getF32Type(), b.getStringAttr("llvm.nvvm.ex2.approx.ftz.f"), ValueRange{x})
      .getResult(0);
}

Value stretto::codegen::emitSigmoid(CudaBuilder &b, Value x) {
  Value one = b.real(x.getType(), 1);
  if (!getElementTypeOrSelf(x.getType()).isF32())
    return arith::DivFOp::create(b, one,
                                 arith::AddFOp::create(b, one, math::ExpOp::create(b, arith::NegFOp::create(b, x))));
  Value exponent = arith::MulFOp::create(b, x, b.real(x.getType(), -std::numbers::log2e));
  auto sigmoid = [&](Value power) -> Value {
    Value sum = arith::AddFOp::create(b, emitPowerOfTwo(b, power), b.real(b.getF32Type(), 1));
    return NVVM::RcpApproxFtzF32Op::create(b, b.getF32Type(), sum);
  };
  if (!isa<VectorType>(x.getType()))
    return sigmoid(exponent);
  Value result = b.real(x.getType(), 0);
  for (int64_t lane = 0; lane < lanesOf(x); ++lane)
    result = vector::InsertOp::create(b, sigmoid(vector::ExtractOp::create(b, exponent, lane)), result, lane);
  return result;
}

/// Two lanes from each word: one shift and one mask.
static Value widenVector(CudaBuilder &b, Value x) {
  int64_t lanes = lanesOf(x);
  Type word = b.getI32Type(), f32 = b.getF32Type();
  Value words = vector::BitCastOp::create(b, VectorType::get({lanes / 2}, word), x);
  auto constant = [&](int32_t number) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(number)).getResult(); };
  Value half = constant(16), upper = constant(static_cast<int32_t>(0xffff0000u));
  Value result = b.real(withLanes(f32, lanes), 0);
  for (int64_t i = 0; i < lanes; ++i) {
    Value pair = vector::ExtractOp::create(b, words, i / 2);
    Value bits = i % 2 ? arith::AndIOp::create(b, pair, upper).getResult() : arith::ShLIOp::create(b, pair, half);
    result = vector::InsertOp::create(b, arith::BitcastOp::create(b, f32, bits), result, i);
  }
  return result;
}

Value stretto::codegen::emitWide(CudaBuilder &b, Value x) {
  return isa<VectorType>(x.getType()) ? widenVector(b, x) : arith::ExtFOp::create(b, b.getF32Type(), x);
}

Value stretto::codegen::emitOnDevice(CudaBuilder &b, Operation *op, ValueRange operands) {
  if (isa<seq::SigmoidOp>(op))
    return emitSigmoid(b, operands[0]);
  if (isa<seq::SoftplusOp>(op))
    return emitSoftplus(b, operands[0]);
  if (isa<math::SinOp, math::CosOp>(op))
    return emitTurn(b, op, operands[0]);
  bool widens = isa<arith::ExtFOp>(op) && getElementTypeOrSelf(operands[0]).isBF16() &&
                getElementTypeOrSelf(op->getResult(0)).isF32();
  return widens ? emitWide(b, operands[0]) : emitElementwise(b, op, operands);
}
