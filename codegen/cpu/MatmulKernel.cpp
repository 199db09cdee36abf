//===- MatmulKernel.cpp - the functions of kern.matmul and kern.pack ----------===//
//
//   for each item (chunk of a sequence, strip of columns)
//     for the rows of the chunk and of its halo, a block at a time
//       the last rows of the block before, which taps still read, move to the front of the tile
//       the matmul computes the strip's columns of these rows, into the tile
//       the epilogue of the rows whose halo is there (RowBlocks.h)
//
// Items do not wait for each other: the halo of a chunk that begins inside of a sequence is computed again. The tile
// lies in the second-level cache, so that the matmul moves no bytes but what the epilogue stores of it. There is none
// where the result of the matmul is itself a result of the kernel and chunks are whole sequences: the matmul stores it,
// and the epilogue reads it there while it is in the cache.
#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/NestBuilder.h"
#include "codegen/cpu/RowBlocks.h"
#include "codegen/cpu/StripItems.h"
#include "codegen/rows/BytesMoved.h"
#include "codegen/rows/Elementwise.h"
#include "ir/kern/Flops.h"
#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static constexpr int64_t panelColumns = kern::PackOp::panelColumns;

/// Calls a C function of the runtime for numbers of a type, which gives nothing back, and declares it in the module of
/// the kernels.
static void callRuntime(VectorBuilder &b, LLVM::LLVMFuncOp caller, StringRef family, Type type, ValueRange operands) {
  std::string name = (family + (type.isF32() ? "_f32" : "_f64")).str();
  auto module = caller->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto none = LLVM::LLVMVoidType::get(b.getContext());
    auto signature = LLVM::LLVMFunctionType::get(none, llvm::to_vector(operands.getTypes()));
    function = LLVM::LLVMFuncOp::create(b, name, signature);
  }
  LLVM::CallOp::create(b, function, operands);
}

namespace {
class MatmulBuilder {
public:
  MatmulBuilder(VectorBuilder &builder, kern::MatmulOp op)
      : b(builder), op(op), schedule(cast<kern::StripScheduleAttr>(op.getScheduleAttr())), stored(storedResult()),
        plans(op, {schedule.getPieces(), schedule.getStrip()}, stored.has_value()),
        real(getElementTypeOrSelf(op.getLhs().getType())) {
    std::tie(batch, time) = op.getRows();
    span = plans.span();
    tileColumns = schedule.getPieces() * schedule.getStrip();
  }

  FailureOr<KernelInfo> build();

private:
  void emitRun(const StripPlans::Run &run, RowBlocks &rows, const StripItem &item);
  std::optional<unsigned> storedResult();
  void emitMatmul(const StripPlans::Run &run, const StripItem &item, Value row, Value count);
  void keepLastRows();
  Value firstColumn(const StripItem &item, Value row, int64_t piece);
  int64_t rowBytes() const { return tileColumns * elementBytes(real); }
  int64_t tileBytes() const { return stored ? 0 : llvm::alignTo((span + schedule.getBlock()) * rowBytes(), 64); }
  Value scratch() { return function.getArgument(3); }

  VectorBuilder &b;
  kern::MatmulOp op;
  kern::StripScheduleAttr schedule;
  std::optional<unsigned> stored; // the result that the matmul stores
  StripPlans plans;
  Type real;
  int64_t batch, time, tileColumns, span; // span: rows of the tile that wait for the next block
  LLVM::LLVMFuncOp function;
  SmallVector<Value> pointers;
  std::deque<RowBlocks> rowsOfRuns;
};
} // namespace

/// Halo rows are rows of another chunk, whose results are not to be written twice.
std::optional<unsigned> MatmulBuilder::storedResult() {
  auto values = op.getYielded();
  auto at = llvm::find(values, op.getBody().getArgument(0));
  if (at == values.end() || schedule.getChunk() < op.getRows().second)
    return {};
  return at - values.begin();
}

FailureOr<KernelInfo> MatmulBuilder::build() {
  if (schedule.getBlock() < span)
    return op.emitOpError("blocks must have at least the ")
           << span << " rows that taps bring together, but got " << schedule.getBlock();
  function = makeKernelFunction(b, *op.getKernel());
  pointers = bufferPointers(b, function, op);
  int64_t scratchBytes = tileBytes();
  for (const StripPlans::Run &run : plans.runs()) {
    Blocking blocking{schedule.getRows(), std::max(schedule.getLanes(), leastLanes(op)), schedule.getChunk()};
    rowsOfRuns.emplace_back(b, run.plan, blocking, tileBytes());
    scratchBytes = std::max(scratchBytes, rowsOfRuns.back().scratchBytes());
  }
  Operation *items = makeLoop(b, function.getArgument(1), function.getArgument(2), 1);
  StripItem item = stripItem(b, cast<scf::ForOp>(items).getInductionVar(), plans.count(), schedule.getChunk(), time);
  emitRunOf(b, plans, item.strip, [&](size_t run) { emitRun(plans.runs()[run], rowsOfRuns[run], item); });
  closeLoop(b, items);
  LLVM::ReturnOp::create(b, ValueRange());
  double flops = op.getFlops() + kern::flopsOf(op.getBody().front()) * static_cast<double>(batch * time);
  return KernelInfo{
      op.getKernel()->str(), op.getChunks() * plans.count(), static_cast<int64_t>(pointers.size()), scratchBytes,
      bytesMoved(op),        static_cast<int64_t>(flops)};
}

void MatmulBuilder::emitRun(const StripPlans::Run &run, RowBlocks &rows, const StripItem &item) {
  RowRange halo = run.plan.halo();
  RowFrame frame = rows.frameOf(pointers, scratch(), item.chunk, item.sequence, item.first);
  frame.strip = b.add(item.strip, b.index(-run.first));
  if (stored)
    frame.inputs[0] = frame.results[*stored];
  else
    frame.inputs[0].rowElements = tileColumns;
  rows.clearColumnSums(frame);
  Value begin = b.maximum(b.add(item.first, b.index(halo.low)), b.index(0));
  Value end = b.minimum(b.add(item.last, b.index(halo.high)), b.index(time));
  Operation *blocks = makeLoop(b, begin, end, schedule.getBlock());
  Value row = cast<scf::ForOp>(blocks).getInductionVar();
  Value next = b.minimum(b.add(row, b.index(schedule.getBlock())), end);
  emitMatmul(run, item, row, arith::SubIOp::create(b, next, row));
  if (!stored) {
    Value above = arith::SubIOp::create(b, b.index(span), row);
    frame.inputs[0].pointer = b.address(scratch(), real, b.mul(above, tileColumns));
  }
  emitIf(b, b.compare(arith::CmpIPredicate::eq, row, begin), [&] { rows.emitBegin(frame, item.first); });
  Value from = b.maximum(item.first, b.add(row, b.index(-halo.high)));
  Value isEnd = b.compare(arith::CmpIPredicate::eq, next, end);
  Value to = arith::SelectOp::create(b, isEnd, item.last, b.add(next, b.index(-halo.high)));
  rows.emitRows(frame, from, to);
  closeLoop(b, blocks);
}

void MatmulBuilder::emitMatmul(const StripPlans::Run &run, const StripItem &item, Value row, Value count) {
  int64_t depth = op.getDepth(), width = schedule.getStrip(), panels = llvm::divideCeil(width, panelColumns);
  keepLastRows();
  int64_t rowElements = stored ? op.getColumns() : tileColumns;
  Value left = b.address(pointers[0], real, b.mul(b.add(b.mul(item.sequence, time), row), depth));
  for (int64_t piece = 0; piece < schedule.getPieces(); ++piece) {
    Value number = b.add(b.mul(item.strip, schedule.getPieces()), b.index(piece));
    Value right = b.address(pointers[1], real, b.mul(number, panels * depth * panelColumns));
    callRuntime(b, function, "stretto_block_matmul", real,
                {count, b.index(plans.columnsOf(run)), b.index(depth), left, b.index(depth), right,
                 firstColumn(item, row, piece), b.index(rowElements)});
  }
}

void MatmulBuilder::keepLastRows() {
  if (stored || span == 0)
    return;
  Value last = b.address(scratch(), real, schedule.getBlock() * tileColumns);
  LLVM::MemmoveOp::create(b, scratch(), last, b.index(span * rowBytes()), false);
}

/// Where the columns of a piece go, of a row and those behind it.
Value MatmulBuilder::firstColumn(const StripItem &item, Value row, int64_t piece) {
  int64_t width = schedule.getStrip(), columns = op.getColumns();
  if (!stored)
    return b.address(scratch(), real, span * tileColumns + piece * width);
  Value first = b.mul(b.add(b.mul(item.sequence, time), row), columns);
  Value column = b.add(b.mul(item.strip, width), b.index(piece * (columns / schedule.getPieces())));
  return b.address(pointers[op->getNumOperands() + *stored], real, b.add(first, column));
}

LogicalResult stretto::codegen::checkFactors(kern::MatmulOp op) {
  Type type = getElementTypeOrSelf(op.getLhs().getType());
  return type.isBF16() ? op.emitOpError("must have operands of f32 or f64 on a CPU, but got ") << type : success();
}

FailureOr<KernelInfo> stretto::codegen::buildMatmulKernel(VectorBuilder &b, kern::MatmulOp op) {
  if (failed(checkFactors(op)))
    return failure();
  if (!isa_and_nonnull<kern::StripScheduleAttr>(op.getScheduleAttr()))
    return op.emitOpError("needs a schedule with strips to become code");
  if (op.getForm() != kern::WeightForm::panels)
    return op.emitOpError("needs a weight in panels (kern-pack-weights) to become code");
  if (failed(checkKernel(op)))
    return failure();
  return MatmulBuilder(b, op).build();
}

//===- Packing ----------------------------------------------------------------===//

FailureOr<KernelInfo> stretto::codegen::buildPackKernel(VectorBuilder &b, kern::PackOp op) {
  auto weight = cast<RankedTensorType>(op.getOperand().getType()), panels = cast<RankedTensorType>(op.getType());
  Type real = weight.getElementType();
  bool isTransposed = op.getForm() == kern::WeightForm::transposed;
  int64_t columns = weight.getDimSize(isTransposed ? 0 : 1), depth = panels.getDimSize(2);
  int64_t length = columns / op.getPieces(), count = panels.getDimSize(0) * panels.getDimSize(1);
  auto function = makeKernelFunction(b, *op.getKernel());
  SmallVector<Value> pointers = bufferPointers(b, function, op);
  Operation *loop = makeLoop(b, function.getArgument(1), function.getArgument(2), 1);
  Value number = cast<scf::ForOp>(loop).getInductionVar();
  auto split = [&](Value value, int64_t by) {
    return std::pair<Value, Value>(arith::DivSIOp::create(b, value, b.index(by)),
                                   arith::RemSIOp::create(b, value, b.index(by)));
  };
  auto [rest, panel] = split(number, panels.getDimSize(1));
  auto [strip, piece] = split(rest, op.getPieces());
  Value inStrip = b.mul(panel, panelColumns), inPiece = b.add(b.mul(strip, op.getStrip()), inStrip);
  Value first = b.add(b.mul(piece, length), inPiece);
  auto left = [&](int64_t of, Value used) { return arith::SubIOp::create(b, b.index(of), used).getResult(); };
  Value there = b.minimum(left(op.getStrip(), inStrip), left(length, inPiece));
  there = b.maximum(b.minimum(there, b.index(panelColumns)), b.index(0));
  Value from = b.address(pointers[0], real, b.mul(first, isTransposed ? depth : 1));
  Value to = b.address(pointers[1], real, b.mul(number, depth * panelColumns));
  callRuntime(b, function, "stretto_pack_panel", real,
              {b.index(depth), there, from, b.index(isTransposed ? depth : columns), b.index(isTransposed), to});
  closeLoop(b, loop);
  LLVM::ReturnOp::create(b, ValueRange());
  int64_t bytes = (weight.getNumElements() + panels.getNumElements()) * elementBytes(real);
  return KernelInfo{op.getKernel()->str(), count, 2, 0, bytes, 0};
}
