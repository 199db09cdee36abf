//===- Sites.cpp - what calls write, and what that is in the source -------===//
#include "codegen/host/Sites.h"

#include "codegen/facts/Locations.h"
#include "codegen/memory/Views.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Kernels.h"
#include "ir/kern/Slots.h"
#include "ir/seq/SourceNames.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/ParameterLayout.h"
#include "runtime/abi/abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

int32_t stretto::codegen::dtypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF64() ? STRETTO_F64 : element.isBF16() ? STRETTO_BF16 : element.isF32() ? STRETTO_F32 : STRETTO_I32;
}

Runs stretto::codegen::runsOf(Value value, Operation *user) {
  kern::SlotAttr slot = kern::slotOf(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (!user->getParentOfType<func::FuncOp>()->hasAttr(kern::bodyAttr) && slot.getStride() != 0)
    return {type.getDimSize(0), slot.getStride()};
  if (isRowStrided(value))
    return {type.getNumElements() / type.getShape().back(), rowStride(value) * elementBytes(type)};
  return {1, bytesOf(type)};
}

namespace {
/// Which buffer of a call holds a tensor, or -1.
int32_t numberOf(Value tensor, ArrayRef<Value> buffers) {
  auto found = tensor ? llvm::find(buffers, tensor) : buffers.end();
  return found == buffers.end() ? -1 : static_cast<int32_t>(found - buffers.begin());
}

/// The weight that a library operation reads, or null. It is the same for all rows and may be rounded, as sums may not.
Value weightOf(Operation *op) {
  auto library = dyn_cast<seq::LibraryOp>(op);
  for (unsigned i = 0; library && i < op->getNumOperands(); ++i) {
    seq::ValueFacts facts = library.getOperandFacts(i);
    if (facts.kind == RowKind::shared && facts.rounding != seq::Rounding::never)
      return op->getOperand(i);
  }
  return {};
}

/// What a kernel computes as its result `i`.
Operation *makerOf(kern::RowKernel op, unsigned i) {
  Operation *maker = op.getYielded()[i].getDefiningOp();
  return maker ? maker : op.getOperation();
}

/// The sum over rows whose parts are added up as result `i`.
Operation *makerOf(kern::SumPartialsOp op, unsigned i) {
  auto partials = dyn_cast<OpResult>(op.getPartials()[i]);
  auto kernel = partials ? dyn_cast<kern::RowKernel>(partials.getOwner()) : kern::RowKernel();
  return kernel ? makerOf(kernel, partials.getResultNumber()) : op.getOperation();
}

/// The operand of a kernel that an operation from the location of `maker` reads for all rows alike, or -1.
int32_t weightOf(kern::RowwiseOp op, Operation *maker) {
  std::string location = sourceLocations(maker->getLoc());
  for (BlockArgument argument : op.getBody().getArguments()) {
    auto map = cast<kern::RowMapAttr>(op.getMaps()[argument.getArgNumber()]).getValue();
    auto isHere = [&](Operation *user) { return sourceLocations(user->getLoc()) == location; };
    if (map == kern::RowMap::shared && !location.empty() && llvm::any_of(argument.getUsers(), isHere))
      return argument.getArgNumber();
  }
  return -1;
}
} // namespace

Site stretto::codegen::describeSite(Operation *op, ArrayRef<Value> buffers) {
  Site site;
  for (OpResult value : op->getResults()) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!isa<FloatType>(type.getElementType()) ||
        seq::updatedOperand(value)) // most of a cache is not written by a call
      continue;
    Operation *maker = op;
    SiteResult result;
    result.weight = numberOf(weightOf(op), buffers);
    if (auto sum = dyn_cast<kern::SumPartialsOp>(op))
      maker = makerOf(sum, value.getResultNumber());
    if (auto kernel = dyn_cast<kern::RowwiseOp>(op)) {
      maker = makerOf(kernel, value.getResultNumber());
      result.weight = weightOf(kernel, maker);
    }
    if (StringAttr kernel = kern::kernelNameOf(op))
      result.kernel = kernel.str();
    result.operation = operationName(maker->getLoc());
    if (result.operation.empty() && (isa<seq::LibraryOp>(maker) || maker->getDialect()->getNamespace() == "seq"))
      result.operation = maker->getName().stripDialect().str();
    result.location = sourceLocations(maker->getLoc());
    result.buffer = numberOf(value, buffers);
    result.arena = static_cast<int32_t>(kern::slotOf(value).getArena());
    result.dtype = dtypeOf(type);
    Runs runs = runsOf(value, op);
    result.rows = runs.count;
    result.rowBytes = bytesOf(type) / runs.count;
    result.stride = runs.stride;
    result.shape.append(type.getShape().begin(), type.getShape().end());
    site.push_back(std::move(result));
  }
  return site;
}
