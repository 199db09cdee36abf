//===- RowwiseKernel.cpp - the function of a kern.rowwise -----------------===//
//
//   for each item (chunk of a sequence, strip of columns or whole rows): its rows (RowBlocks.h)
#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/NestBuilder.h"
#include "codegen/cpu/RowBlocks.h"
#include "codegen/cpu/StripItems.h"
#include "codegen/rows/BytesMoved.h"
#include "codegen/rows/Elementwise.h"
#include "ir/kern/Flops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static void emitRun(VectorBuilder &b, const StripPlans::Run &run, RowBlocks &rows, ValueRange pointers, Value scratch,
                    const StripItem &item) {
  RowFrame frame = rows.frameOf(pointers, scratch, item.chunk, item.sequence, item.first);
  frame.strip = b.add(item.strip, b.index(-run.first));
  rows.clearColumnSums(frame);
  rows.emitBegin(frame, item.first);
  rows.emitRows(frame, item.first, item.last);
}

static FailureOr<StripPlans> plansOf(kern::RowwiseOp op, kern::VectorScheduleAttr schedule) {
  if (!schedule.getStrip())
    return StripPlans(op);
  StripForm form{schedule.getPieces(), schedule.getStrip()};
  MeetingColumns meeting = MeetingColumns::ofWidestOperand(op);
  if (std::string problem = Strips(meeting, form).problem(op); !problem.empty())
    return op.emitOpError() << "cannot walk strips of " << form.width << " columns in " << form.pieces
                            << " pieces: " << problem;
  return StripPlans(op, std::move(meeting), form);
}

FailureOr<KernelInfo> stretto::codegen::buildRowwiseKernel(VectorBuilder &b, kern::RowwiseOp op) {
  auto schedule = dyn_cast_or_null<kern::VectorScheduleAttr>(op.getScheduleAttr());
  if (!schedule)
    return op.emitOpError("needs a schedule with vectors to become code");
  if (failed(checkKernel(op)))
    return failure();
  FailureOr<StripPlans> plans = plansOf(op, schedule);
  if (failed(plans))
    return failure();
  std::deque<RowBlocks> rowsOfRuns;
  int64_t scratchBytes = 0;
  for (const StripPlans::Run &run : plans->runs()) {
    Blocking blocking{schedule.getRows(), std::max(schedule.getLanes(), leastLanes(op)), schedule.getChunk()};
    rowsOfRuns.emplace_back(b, run.plan, blocking);
    scratchBytes = std::max(scratchBytes, rowsOfRuns.back().scratchBytes());
  }
  auto [batch, time] = op.getRows();
  auto function = makeKernelFunction(b, *op.getKernel());
  SmallVector<Value> pointers = bufferPointers(b, function, op);
  Operation *items = makeLoop(b, function.getArgument(1), function.getArgument(2), 1);
  StripItem item = stripItem(b, cast<scf::ForOp>(items).getInductionVar(), plans->count(), schedule.getChunk(), time);
  emitRunOf(b, *plans, item.strip, [&](size_t run) {
    emitRun(b, plans->runs()[run], rowsOfRuns[run], pointers, function.getArgument(3), item);
  });
  closeLoop(b, items);
  LLVM::ReturnOp::create(b, ValueRange());
  auto flops = static_cast<int64_t>(kern::flopsOf(op.getBody().front())) * batch * time;
  return KernelInfo{op.getKernel()->str(),
                    op.getChunks() * plans->count(),
                    static_cast<int64_t>(pointers.size()),
                    scratchBytes,
                    bytesMoved(op),
                    flops};
}
