//===- VectorBuilder.cpp - small pieces of vector code -------------------------===//
#include "codegen/rows/VectorBuilder.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

Type stretto::codegen::withLanes(Type element, int64_t lanes) {
  return lanes == 1 ? element : VectorType::get({lanes}, element);
}

int64_t stretto::codegen::lanesOf(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getDimSize(0) : 1;
}

double stretto::codegen::identityOf(seq::ReduceKind kind) {
  double infinity = std::numeric_limits<double>::infinity();
  switch (kind) {
  case seq::ReduceKind::add:
    return 0;
  case seq::ReduceKind::max:
    return -infinity;
  case seq::ReduceKind::min:
    return infinity;
  }
  llvm_unreachable("covered switch");
}

Value VectorBuilder::index(int64_t value) { return arith::ConstantOp::create(*this, getI64IntegerAttr(value)); }

Value VectorBuilder::real(Type type, double value) {
  auto scalar = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(*this, DenseElementsAttr::get(vector, scalar));
  return arith::ConstantOp::create(*this, scalar);
}

Value VectorBuilder::add(Value a, Value b) { return createOrFold<arith::AddIOp>(a, b); }
Value VectorBuilder::mul(Value a, int64_t b) { return createOrFold<arith::MulIOp>(a, index(b)); }
Value VectorBuilder::minimum(Value a, Value b) { return createOrFold<arith::MinSIOp>(a, b); }
Value VectorBuilder::maximum(Value a, Value b) { return createOrFold<arith::MaxSIOp>(a, b); }
Value VectorBuilder::compare(arith::CmpIPredicate predicate, Value a, Value b) {
  return arith::CmpIOp::create(*this, predicate, a, b);
}

Value VectorBuilder::splat(Value scalar, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(*this, withLanes(scalar.getType(), lanes), scalar);
}

Value VectorBuilder::mulAdd(Value a, Value b, Value c) {
  if (fused)
    return math::FmaOp::create(*this, a, b, c);
  return arith::AddFOp::create(*this, arith::MulFOp::create(*this, a, b), c);
}

Value VectorBuilder::identity(seq::ReduceKind kind, Type type) { return real(type, identityOf(kind)); }

Value VectorBuilder::combine(seq::ReduceKind kind, Value a, Value b) {
  switch (kind) {
  case seq::ReduceKind::add:
    return arith::AddFOp::create(*this, a, b);
  case seq::ReduceKind::max:
    return arith::MaximumFOp::create(*this, a, b);
  case seq::ReduceKind::min:
    return arith::MinimumFOp::create(*this, a, b);
  }
  llvm_unreachable("covered switch");
}

Value VectorBuilder::horizontal(seq::ReduceKind kind, Value vector) {
  for (int64_t lanes = lanesOf(vector); lanes > 1; lanes /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, lanes / 2));
    auto high = llvm::to_vector(llvm::seq<int64_t>(lanes / 2, lanes));
    vector = combine(kind, vector::ShuffleOp::create(*this, vector, vector, low),
                     vector::ShuffleOp::create(*this, vector, vector, high));
  }
  return isa<VectorType>(vector.getType()) ? vector::ExtractOp::create(*this, vector, 0) : vector;
}

Value VectorBuilder::address(Value pointer, Type type, Value offset) {
  return LLVM::GEPOp::create(*this, pointer.getType(), type, pointer, ArrayRef<LLVM::GEPArg>{offset});
}

Value VectorBuilder::address(Value pointer, Type type, int64_t offset) {
  if (offset == 0)
    return pointer;
  if (!llvm::isInt<32>(offset))
    return address(pointer, type, index(offset));
  auto constant = static_cast<int32_t>(offset);
  return LLVM::GEPOp::create(*this, pointer.getType(), type, pointer, ArrayRef<LLVM::GEPArg>{constant});
}

static unsigned alignmentOf(Type element) { return elementBytes(element); }

Value VectorBuilder::load(Type element, int64_t lanes, Value pointer, Value mask) {
  Type type = withLanes(element, lanes);
  unsigned alignment = alignmentOf(element);
  if (!mask || lanes == 1)
    return LLVM::LoadOp::create(*this, type, pointer, alignment);
  Value zero = arith::ConstantOp::create(*this, cast<TypedAttr>(getZeroAttr(type)));
  return LLVM::MaskedLoadOp::create(*this, type, pointer, mask, zero, getI32IntegerAttr(alignment), UnitAttr());
}

void VectorBuilder::store(Value value, Value pointer, Value mask) {
  unsigned alignment = alignmentOf(getElementTypeOrSelf(value));
  if (mask && isa<VectorType>(value.getType()))
    LLVM::MaskedStoreOp::create(*this, value, pointer, mask, getI32IntegerAttr(alignment));
  else
    LLVM::StoreOp::create(*this, value, pointer, alignment);
}

Value VectorBuilder::firstLanes(int64_t lanes, int64_t count) {
  SmallVector<bool> set(lanes, false);
  std::fill_n(set.begin(), count, true);
  return arith::ConstantOp::create(*this, DenseElementsAttr::get(VectorType::get({lanes}, getI1Type()), set));
}

Value VectorBuilder::firstLanes(int64_t lanes, Value count) {
  auto type = VectorType::get({lanes}, getI32Type());
  auto numbers =
      llvm::map_to_vector(llvm::seq<int64_t>(0, lanes), [](int64_t lane) { return static_cast<int32_t>(lane); });
  Value number = arith::ConstantOp::create(*this, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  Value limit = splat(arith::TruncIOp::create(*this, getI32Type(), count), lanes);
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::slt, number, limit);
}
