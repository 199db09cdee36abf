//===- RowwiseKernel.cpp - the function of a kern.rowwise -----------------===//
//
//   for each chunk (sequence, rows first..last): its rows (RowBlocks.h)
#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/NestBuilder.h"
#include "codegen/cpu/RowBlocks.h"
#include "codegen/rows/BytesMoved.h"
#include "codegen/rows/Elementwise.h"
#include "ir/kern/Flops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static void emitChunk(VectorBuilder &b, RowBlocks &rows, ValueRange pointers, Value scratch, Value chunk,
                      int64_t length, int64_t time) {
  Value perSequence = b.index(llvm::divideCeil(time, length));
  Value sequence = arith::DivSIOp::create(b, chunk, perSequence);
  Value first = b.mul(arith::RemSIOp::create(b, chunk, perSequence), length);
  Value last = b.minimum(b.add(first, b.index(length)), b.index(time));
  RowFrame frame = rows.frameOf(pointers, scratch, chunk, sequence, first);
  rows.clearColumnSums(frame);
  rows.emitBegin(frame, first);
  rows.emitRows(frame, first, last);
}

FailureOr<KernelInfo> stretto::codegen::buildRowwiseKernel(VectorBuilder &b, kern::RowwiseOp op) {
  auto schedule = dyn_cast_or_null<kern::VectorScheduleAttr>(op.getScheduleAttr());
  if (!schedule)
    return op.emitOpError("needs a schedule with vectors to become code");
  if (failed(checkKernel(op)))
    return failure();
  RowPlan plan(op);
  RowBlocks rows(b, plan, {schedule.getRows(), schedule.getLanes(), schedule.getChunk()});
  auto [batch, time] = op.getRows();
  auto function = makeKernelFunction(b, *op.getKernel());
  SmallVector<Value> pointers = bufferPointers(b, function, op);
  Operation *chunks = makeLoop(b, function.getArgument(1), function.getArgument(2), 1);
  emitChunk(b, rows, pointers, function.getArgument(3), cast<scf::ForOp>(chunks).getInductionVar(), schedule.getChunk(),
            time);
  closeLoop(b, chunks);
  LLVM::ReturnOp::create(b, ValueRange());
  auto flops = static_cast<int64_t>(kern::flopsOf(op.getBody().front())) * batch * time;
  return KernelInfo{op.getKernel()->str(), op.getChunks(), static_cast<int64_t>(pointers.size()),
                    rows.scratchBytes(),   bytesMoved(op), flops};
}
