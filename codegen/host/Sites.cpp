//===- Sites.cpp - what calls write, and what that is in the source -------===//
#include "codegen/host/Sites.h"

#include "codegen/memory/ParameterLayout.h"
#include "codegen/memory/Views.h"
#include "codegen/report/Locations.h"
#include "ir/Seq/SourceNames.h"
#include "runtime/abi/abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace stretto;

kern::PlaceAttr stretto::placeOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return cast<func::FuncOp>(argument.getOwner()->getParentOp())
        .getArgAttrOfType<kern::PlaceAttr>(argument.getArgNumber(), "kern.place");
  return cast<kern::PlaceAttr>(value.getDefiningOp()->getAttrOfType<ArrayAttr>(
      "kern.places")[cast<OpResult>(value).getResultNumber()]);
}

int32_t stretto::dtypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF64() ? STRETTO_F64 : element.isBF16() ? STRETTO_BF16 : element.isF32() ? STRETTO_F32 : STRETTO_I32;
}

std::optional<StringRef> stretto::kernelOf(Operation *op) {
  StringRef attribute = isa<kern::RowwiseOp, kern::SumPartialsOp>(op) ? "kernel" : "kern.kernel";
  if (auto name = op->getAttrOfType<StringAttr>(attribute))
    return name.getValue();
  return std::nullopt;
}

Runs stretto::runsOf(Value value, Operation *user) {
  kern::PlaceAttr place = placeOf(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (!user->getParentOfType<func::FuncOp>()->hasAttr("kern.body") && place.getStride() != 0)
    return {type.getDimSize(0), place.getStride()};
  if (isRowStrided(value))
    return {type.getNumElements() / type.getShape().back(), rowStride(value) * type.getElementTypeBitWidth() / 8};
  return {1, byteSize(type)};
}

namespace {
/// Where a result and the weight lie among the buffers of a call.
struct Numbers {
  int32_t firstResult, weight;
};

Numbers numbersOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Numbers>(op)
      .Case<kern::RowwiseOp, kern::SumPartialsOp>(
          [](Operation *kernel) { return Numbers{static_cast<int32_t>(kernel->getNumOperands()), -1}; })
      .Case<seq::LinearOp, seq::LinearInputGradOp>([](auto) { return Numbers{2, 1}; })
      .Case<seq::EmbedGradOp>([](auto grad) { // a kernel takes the accumulator besides, a call does not
        return Numbers{kernelOf(grad) ? static_cast<int32_t>(grad->getNumOperands()) : 2, -1};
      })
      .Case<seq::LinearWeightGradOp>([](auto) { return Numbers{2, -1}; })
      .Case<seq::EmbedOp>([](auto) { return Numbers{2, 1}; })
      .Case<seq::AttentionOp>([](auto) { return Numbers{3, -1}; })
      .Case<seq::AttentionGradOp>([](auto) { return Numbers{8, -1}; })
      .Case<seq::AttentionStepOp>([](auto) { return Numbers{5, -1}; })
      .Case<seq::ReadCacheOp, seq::LastRowOp>([](auto) { return Numbers{2, -1}; })
      .Case<kern::CopyOp>([](auto) { return Numbers{1, -1}; })
      .Case<arith::ConstantOp>([](auto) { return Numbers{0, -1}; });
}

/// What a kernel computes as its result `i`.
Operation *makerOf(kern::RowwiseOp op, unsigned i) {
  Operation *maker = op.getBody().front().getTerminator()->getOperand(i).getDefiningOp();
  return maker ? maker : op.getOperation();
}

/// The operand of a kernel that an operation from the place of `maker` reads for all rows alike, or -1.
int32_t weightOf(kern::RowwiseOp op, Operation *maker) {
  std::string place = sourcePlaces(maker->getLoc());
  for (BlockArgument argument : op.getBody().getArguments()) {
    auto map = cast<kern::RowMapAttr>(op.getMaps()[argument.getArgNumber()]).getValue();
    auto isHere = [&](Operation *user) { return sourcePlaces(user->getLoc()) == place; };
    if (map == kern::RowMap::shared && !place.empty() && llvm::any_of(argument.getUsers(), isHere))
      return argument.getArgNumber();
  }
  return -1;
}
} // namespace

Site stretto::describeSite(Operation *op) {
  Site site;
  if (isa<seq::WriteCacheOp>(op)) // most of a cache is not written by the call
    return site;
  Numbers numbers = numbersOf(op);
  for (OpResult value : op->getResults()) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!isa<FloatType>(type.getElementType()))
      continue;
    Operation *maker = op;
    SiteResult result;
    result.weight = numbers.weight;
    if (auto kernel = dyn_cast<kern::RowwiseOp>(op)) {
      maker = makerOf(kernel, value.getResultNumber());
      result.weight = weightOf(kernel, maker);
    }
    result.kernel = kernelOf(op).value_or("").str();
    result.operation = operationName(maker->getLoc());
    if (result.operation.empty() && maker->getDialect()->getNamespace() == "seq")
      result.operation = maker->getName().stripDialect().str();
    result.location = sourcePlaces(maker->getLoc());
    result.buffer = numbers.firstResult + value.getResultNumber();
    result.arena = static_cast<int32_t>(placeOf(value).getArena());
    result.dtype = dtypeOf(type);
    Runs runs = runsOf(value, op);
    result.rows = runs.count;
    result.rowBytes = byteSize(type) / runs.count;
    result.stride = runs.stride;
    result.shape.append(type.getShape().begin(), type.getShape().end());
    site.push_back(std::move(result));
  }
  return site;
}
