//===- MatmulKernel.cpp - the function of a kern.matmul -----------------------------===//
#include "codegen/cuda/matmul/MatmulKernel.h"

#include "codegen/cuda/matmul/Roles.h"
#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Whether all that is stored is the matmul, rounded to bf16.
static bool storesMatmulAlone(kern::MatmulOp op) {
  if (op.getNumResults() != 1)
    return false;
  auto rounded = kern::RowKernel(op).getYielded()[0].getDefiningOp<arith::TruncFOp>();
  return rounded && rounded.getIn() == op.getBody().getArgument(0) && typeOf(rounded).getElementType().isBF16();
}

static LogicalResult checkMatmul(kern::MatmulOp op) {
  if (!isa_and_nonnull<kern::TileScheduleAttr>(op.getScheduleAttr()))
    return op.emitOpError("needs a schedule of tiles to become device code");
  if (Type type = typeOf(op.getLhs()).getElementType(); !type.isBF16())
    return op.emitOpError("must have operands of bf16 to become device code, but got ") << type;
  if (!storesMatmulAlone(op))
    return op.emitOpError("must store the matmul alone, rounded to bf16, to become device code");
  constexpr int64_t together = 8; // bf16 in 16 bytes, which TMA has rows begin at multiples of
  for (Value operand : {op.getLhs(), op.getRhs()})
    if (int64_t width = typeOf(operand).getShape().back(); width % together)
      return op.emitOpError("must have operands whose rows have a multiple of ")
             << together << " numbers to become device code, but got " << width;
  for (const TileRule &rule : MatmulTiling(op).rules())
    if (!rule.holds)
      return op.emitOpError() << rule.field << " of its schedule must be " << rule.expected << ", but got "
                              << rule.value;
  return success();
}

LogicalResult stretto::codegen::buildMatmulKernel(CudaBuilder &b, gpu::GPUModuleOp kernels, kern::MatmulOp op) {
  if (failed(checkMatmul(op)))
    return failure();
  MatmulTiling tiling(op);
  KernelFunction function(b, kernels, op);
  for (unsigned operand = 0; operand < op.getNumOperands(); ++operand)
    function.onlyRead(operand);
  Value shared = function.dynamicShared(tiling.sharedBytes());
  MatmulRoles(b, function, op, tiling, shared, function.buffer(op.getNumOperands())).build();
  CudaLaunch launch{{tiling.blocks, 1}, tiling.threads(), static_cast<int64_t>(op.getFlops())};
  launch.resident = 1;
  function.finish(launch);
  return success();
}
