//===- MatmulKernel.cpp - the function of a kern.matmul -----------------------------===//
#include "codegen/cuda/matmul/MatmulKernel.h"

#include "codegen/cuda/matmul/Roles.h"
#include "codegen/rows/Elementwise.h"
#include "codegen/rows/Overwrite.h"
#include "ir/kern/Flops.h"
#include "ir/seq/TensorShape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Whether the body reads the matmul rounded to bf16 alone, as it is staged.
static bool readsRounded(kern::MatmulOp op) {
  return llvm::all_of(op.getBody().getArgument(0).getUsers(), [](Operation *user) {
    return isa<arith::TruncFOp>(user) && typeOf(user->getResult(0)).getElementType().isBF16();
  });
}

static LogicalResult checkMatmul(kern::MatmulOp op) {
  if (!isa_and_nonnull<kern::TileScheduleAttr>(op.getScheduleAttr()))
    return op.emitOpError("needs a schedule of tiles to become device code");
  if (Type type = typeOf(op.getLhs()).getElementType(); !type.isBF16())
    return op.emitOpError("must have operands of bf16 to become device code, but got ") << type;
  if (!readsRounded(op))
    return op.emitOpError("must round the matmul to bf16 before its body reads it to become device code");
  for (Value operand : {op.getLhs(), op.getRhs()})
    if (int64_t width = typeOf(operand).getShape().back(); width % MatmulTiling::operandUnit)
      return op.emitOpError("must have operands whose rows have a multiple of ")
             << MatmulTiling::operandUnit << " numbers to become device code, but got " << width;
  if (failed(checkKernel(op)))
    return failure();
  if (failed(obeys(op, MatmulTiling(op).rules())))
    return failure();
  auto schedule = cast<kern::TileScheduleAttr>(op.getScheduleAttr());
  std::string problem = Strips(MeetingColumns(op, 0), {schedule.getPieces(), schedule.getStrip()}).problem(op);
  return problem.empty() ? success() : LogicalResult(op.emitOpError() << "cannot be cut into strips: " << problem);
}

LogicalResult stretto::codegen::buildMatmulKernel(CudaBuilder &b, gpu::GPUModuleOp kernels, kern::MatmulOp op) {
  if (failed(checkMatmul(op)))
    return failure();
  MatmulTiling tiling(op);
  KernelFunction function(b, kernels, op);
  for (OpOperand &operand : op->getOpOperands().take_front(2))
    function.onlyRead(operand.getOperandNumber());
  // As in a kern.rowwise: where there are sums along rows, loads do not come earlier.
  bool comesEarly = op.getBody().getOps<seq::ReduceOp>().empty();
  for (unsigned argument = 1; argument < op.getBody().getNumArguments(); ++argument)
    if (comesEarly && !mayBeOverwritten(op, argument))
      function.onlyRead(op.getOperandOf(argument)->getOperandNumber());
  Value shared = function.dynamicShared(tiling.sharedBytes());
  MatmulRoles(b, function, op, tiling, shared).build();
  double flops = op.getFlops() + kern::flopsOf(op.getBody().front()) * static_cast<double>(tiling.rows);
  CudaLaunch launch{{tiling.blocks, 1}, tiling.threads(), static_cast<int64_t>(flops)};
  launch.resident = 1;
  launch.cluster = static_cast<int32_t>(tiling.cluster);
  launch.registers = tiling.exchangesRegisters() ? tiling.registersAtLaunch() : 0;
  function.finish(launch);
  return success();
}
