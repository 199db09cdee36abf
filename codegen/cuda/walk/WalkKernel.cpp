//===- WalkKernel.cpp - the function of a kern.walk ------------------------------===//
//
// A block is one program on one span of one sequence. It goes over the chunks of the span in a loop whose body is that
// of the walk, operation by operation (TileEmitter.h says which of them have code where they stand). A matrix of an
// input is loaded where the first operation needs it, a result is stored where it is known, and what is carried stays
// in registers, or with `shared_state` in shared memory.
#include "codegen/cuda/walk/WalkKernel.h"

#include "codegen/cuda/ControlFlow.h"
#include "codegen/cuda/EstimatedGpu.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/walk/HeldTiles.h"
#include "codegen/cuda/walk/TileOperations.h"
#include "codegen/cuda/walk/WalkRules.h"
#include "codegen/cuda/walk/Windows.h"
#include "codegen/rows/Elementwise.h"

#include "ir/seq/TensorBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Of matrices that are loaded before they are needed: a third of the shared memory.
static constexpr int64_t mostEarlyBytes = mostShared / 3;

static constexpr int64_t fewestRegisters = 80; // of a thread, where blocks share a multiprocessor

namespace {
class WalkBuilder {
public:
  WalkBuilder(CudaBuilder &b, KernelFunction &function, kern::WalkOp op, int64_t sharedOfBlock);

  LogicalResult build();
  CudaLaunch launch();

private:
  void locateBlock();
  Values initialState();
  Values nextState();
  void storeState(ValueRange parts);
  void loadShared();
  void loadChunk();
  void walkChunks();
  Values computeChunk();
  void compute(Operation &inner);
  void addMatmul(arith::AddFOp sum);
  void prepare(Operation &inner);
  void loadList(BlockArgument tile);
  void loadMatrices(ArrayRef<BlockArgument> matrices);
  void awaitMatrices(ArrayRef<BlockArgument> matrices);
  auto inputs() { return body.getArguments().take_front(op.getInputs().size()); }
  void storeResults(Value tile);
  WindowTile locate(unsigned number, Value tile) {
    return locateWindow(b, op, number, function.buffer(number), typeOf(tile).getShape(), position);
  }
  LogicalResult finishShared();
  int64_t residentBlocks();

  CudaBuilder &b;
  KernelFunction &function;
  kern::WalkOp op;
  Block &body;
  Block *entry;
  TileEmitter tiles;
  HeldTiles held;
  WalkPosition position;
  Value lastChunk;                   // of the span, as it is walked
  SmallVector<BlockArgument> copies; // on their way, in order
  int64_t blocks, sharedOfBlock, sharedBytes = 0;
};
} // namespace

WalkBuilder::WalkBuilder(CudaBuilder &b, KernelFunction &function, kern::WalkOp op, int64_t sharedOfBlock)
    : b(b), function(function), op(op), body(op.getBody().front()), entry(b.getInsertionBlock()),
      tiles(b, warpsOfWalk(op), isRolled(op)), held(op), blocks(op.getPrograms() * op.getSpans() * op.getRows().first),
      sharedOfBlock(sharedOfBlock) {}

//===- Which block this is --------------------------------------------------------===//

void WalkBuilder::locateBlock() {
  int64_t programs = op.getPrograms(), spans = op.getSpans(), span = op.getSpan();
  Value block = b.blockIndexX(blocks), rest = b.divide(block, programs);
  Value begin = b.mul(b.remainder(rest, spans), span), end = b.add(begin, b.index(span - 1));
  if (op.getChunks() % span != 0)
    end = b.minimum(end, b.index(op.getChunks() - 1));
  lastChunk = op.getReverse() ? begin : end;
  position = {b.divide(rest, spans), b.remainder(block, programs), op.getReverse() ? end : begin};
}

//===- Loading --------------------------------------------------------------------===//

/// Of at most one dimension, into registers.
void WalkBuilder::loadList(BlockArgument tile) {
  WindowTile from = locate(tile.getArgNumber(), tile);
  TilePlaces &places = tiles.placesOf(typeOf(tile).getShape());
  Values parts;
  for (int64_t part = 0; part < places.layout().parts(); ++part)
    parts.push_back(loadElement(b, from, places.at(part)));
  tiles.setParts(tile, parts);
}

/// Begins all in one step, so that they are on their way together.
void WalkBuilder::loadMatrices(ArrayRef<BlockArgument> matrices) {
  SmallVector<SharedTile> places;
  for (BlockArgument tile : matrices)
    places.push_back(tiles.shared.add(typeOf(tile).getElementType(), typeOf(tile).getShape()));
  tiles.beginStep();
  for (auto [tile, to] : llvm::zip_equal(matrices, places)) {
    WindowTile from = locate(tile.getArgNumber(), tile);
    ArrayRef<int64_t> shape = typeOf(tile).getShape();
    if (isCopied(from)) {
      tiles.shared.beginCopy(to);
      copyMatrix(b, from, to, shape, tiles.threads(), tiles.thread());
      copies.push_back(tile);
    } else {
      tiles.shared.write(to);
      loadMatrix(b, from, to, shape, tiles.threads(), tiles.thread());
    }
    tiles.setShared(tile, to);
  }
}

/// Waits for those of the matrices that are still on their way, and so for what was begun before them.
void WalkBuilder::awaitMatrices(ArrayRef<BlockArgument> matrices) {
  auto end = copies.end();
  while (end != copies.begin() && !llvm::is_contained(matrices, *std::prev(end)))
    --end;
  if (end == copies.begin())
    return;
  tiles.beginStep();
  b.awaitCopies(copies.end() - end);
  for (BlockArgument tile : llvm::make_range(copies.begin(), end))
    tiles.shared.write(*tiles.sharedOf(tile));
  copies.erase(copies.begin(), end);
}

/// What all chunks of a program share.
void WalkBuilder::loadShared() {
  for (BlockArgument tile : inputs())
    if (op.getWindow(tile.getArgNumber()).getKind() == kern::WindowKind::shared)
      loadList(tile);
}

/// Lists; and all matrices, if they take so little memory that it does not matter for how long.
void WalkBuilder::loadChunk() {
  SmallVector<BlockArgument> matrices;
  int64_t bytes = 0;
  for (BlockArgument tile : inputs()) {
    if (tile.use_empty())
      continue;
    if (typeOf(tile).getRank() == 2) {
      matrices.push_back(tile);
      bytes += elementsOf(tile) * elementBytes(tile);
    } else if (op.getWindow(tile.getArgNumber()).getKind() != kern::WindowKind::shared) {
      loadList(tile);
    }
  }
  if (!matrices.empty() && bytes <= mostEarlyBytes)
    loadMatrices(matrices);
}

/// Brings the matrices that an operation is the first to read.
void WalkBuilder::prepare(Operation &inner) {
  SmallVector<BlockArgument> matrices;
  for (Value operand : inner.getOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    bool isInput = argument && argument.getArgNumber() < op.getInputs().size();
    if (isInput && typeOf(operand).getRank() == 2)
      matrices.push_back(argument);
  }
  for (BlockArgument matrix : matrices)
    if (!tiles.sharedOf(matrix))
      loadMatrices(matrix);
  awaitMatrices(matrices);
}

//===- Computing ------------------------------------------------------------------===//

void WalkBuilder::addMatmul(arith::AddFOp sum) {
  auto left = sum.getLhs().getDefiningOp<kern::TileMatmulOp>(),
       right = sum.getRhs().getDefiningOp<kern::TileMatmulOp>();
  if (left && right && isDeferred(left) && isDeferred(right))
    emitMatmul(tiles, left, {}, left.getResult());
  bool isRight = right && isDeferred(right);
  emitMatmul(tiles, isRight ? right : left, isRight ? sum.getLhs() : sum.getRhs(), sum.getResult());
}

void WalkBuilder::compute(Operation &inner) {
  auto isMatmul = [&](Value value) { return value.getDefiningOp() && isDeferred(value.getDefiningOp()); };
  llvm::TypeSwitch<Operation *>(&inner)
      .Case([&](kern::TileMatmulOp matmul) {
        if (!isDeferred(&inner))
          emitMatmul(tiles, matmul, {}, matmul.getResult());
      })
      .Case([&](arith::AddFOp sum) {
        if (llvm::any_of(sum->getOperands(), isMatmul))
          addMatmul(sum);
      })
      .Case([&](seq::BroadcastOp repeat) {
        bool isLine = typeOf(repeat.getOperand()).getRank() == 1 && typeOf(repeat.getResult()).getRank() == 2;
        if (isLine)
          tiles.prepareLine(repeat.getOperand());
      })
      .Case([&](seq::ReduceOp reduce) { emitReduction(tiles, reduce); })
      .Case([&](kern::TileSumOp sum) { emitTileSum(tiles, sum); })
      .Case([&](kern::TileRowOp row) { emitTileRow(tiles, row); })
      .Case([&](kern::PrefixSumOp sum) { emitPrefixSum(tiles, sum); })
      .Case([&](kern::ProgramIndexOp index) {
        tiles.setParts(index, {emitColumnNumbers(b, typeOf(index).getElementType(), position.program, 1)});
      })
      .Case([&](kern::UnitInverseOp inverse) { emitUnitInverse(tiles, inverse); })
      .Case([&](kern::UnitSolveOp solve) { emitUnitSolve(tiles, solve); });
}

void WalkBuilder::storeResults(Value tile) {
  for (auto [i, yielded] : llvm::enumerate(op.getYield().getValues().take_front(op.getNumResults()))) {
    if (yielded != tile)
      continue;
    tiles.beginStep();
    Values parts = tiles.parts(tile);
    storeParts(b, locate(op.getNumOperands() + i, tile), tiles.placesOf(typeOf(tile).getShape()), parts);
  }
}

/// What is stored as it came is stored first: then it need not stay in registers.
Values WalkBuilder::computeChunk() {
  loadChunk();
  prepare(*op.getYield());
  for (BlockArgument argument : body.getArguments())
    storeResults(argument);
  for (Operation &inner : body.without_terminator()) {
    prepare(inner);
    compute(inner);
    if (held.isComputedWhereItStands(&inner)) {
      Value result = inner.getResult(0);
      tiles.beginStep();
      HeldTiles::isForOthers(&inner) ? (void)tiles.inShared(result) : tiles.setParts(result, tiles.parts(result));
    }
    if (!isDeferred(&inner))
      storeResults(inner.getResult(0));
  }
  return nextState();
}

//===- The loop -------------------------------------------------------------------===//

/// Registers of what is carried, in front of the first chunk.
Values WalkBuilder::initialState() {
  Values state;
  for (Value tile : op.getCarried()) {
    auto carried = cast<BlockArgument>(tile); // its number is that of the operand
    if (op.getInitial().empty()) {
      const TileLayout &layout = tiles.layoutOf(tile);
      Type part = withLanes(typeOf(tile).getElementType(), layout.lanes());
      tiles.setParts(tile, Values(layout.parts(), b.real(part, 0)));
    } else {
      typeOf(tile).getRank() == 2 ? loadMatrices(carried) : loadList(carried);
      awaitMatrices(carried);
    }
    if (op.getSharedState()) {
      tiles.setShared(tile, tiles.inShared(tile));
      tiles.setParts(tile, {});
      continue;
    }
    tiles.beginStep();
    llvm::append_range(state, tiles.parts(tile));
    tiles.forget(tile);
  }
  return state;
}

/// What goes on: in registers, or to where it lies in shared memory.
Values WalkBuilder::nextState() {
  tiles.beginStep();
  Values next;
  for (Value carried : op.getYield().getValues().drop_front(op.getNumResults()))
    llvm::append_range(next, tiles.parts(carried));
  if (!op.getSharedState())
    return next;
  storeState(next);
  return {};
}

void WalkBuilder::storeState(ValueRange parts) {
  auto isReadByOthers = [&](Value tile) { return typeOf(tile).getRank() < 2 || tiles.layoutOf(tile).isRagged(); };
  if (op.getCarried().size() > 1 || llvm::any_of(op.getCarried(), isReadByOthers))
    tiles.beginStep();
  for (Value tile : op.getCarried()) {
    TilePlaces &places = tiles.placesOf(typeOf(tile).getShape());
    for (int64_t i = 0; i < places.layout().parts(); ++i)
      tiles.store(*tiles.sharedOf(tile), places.at(i), parts[i]);
    parts = parts.drop_front(places.layout().parts());
  }
}

/// A span has at least one chunk. Numbers of chunks are i32 here, one register.
void WalkBuilder::walkChunks() {
  auto word = [&](Value chunk) { return arith::TruncIOp::create(b, b.getI32Type(), chunk).getResult(); };
  Values carried{word(position.chunk)};
  Value last = word(lastChunk), step = arith::ConstantIntOp::create(b, b.getI32Type(), op.getReverse() ? -1 : 1);
  llvm::append_range(carried, initialState());
  tiles.shared.beginLoop();
  repeatWhile(b, carried, [&](ValueRange now) {
    tiles.beginChunk();
    Value chunk = now.front();
    position.chunk = arith::ExtUIOp::create(b, b.getI64Type(), chunk);
    now = now.drop_front();
    for (Value tile : op.getSharedState() ? ValueRange() : op.getCarried()) {
      int64_t count = tiles.layoutOf(tile).parts();
      tiles.setParts(tile, Values(now.take_front(count)));
      now = now.drop_front(count);
    }
    Values next{arith::AddIOp::create(b, chunk, step)};
    llvm::append_range(next, computeChunk());
    next.push_back(arith::CmpIOp::create(b, arith::CmpIPredicate::ne, chunk, last));
    return next;
  });
  tiles.shared.endLoop();
}

LogicalResult WalkBuilder::finishShared() {
  int64_t bytes = tiles.shared.place();
  if (bytes > sharedOfBlock)
    return op.emitOpError("must have tiles that fit into the ")
           << sharedOfBlock << " bytes of shared memory of a block, but they take " << bytes;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  Value memory;
  if (bytes > 0)
    memory = bytes > mostStaticShared ? function.dynamicShared(bytes) : function.shared("tiles", bytes);
  tiles.shared.finish(memory);
  sharedBytes = bytes;
  return success();
}

LogicalResult WalkBuilder::build() {
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    function.onlyRead(i);
  locateBlock();
  loadShared();
  walkChunks();
  return finishShared();
}

/// Blocks that share a multiprocessor: as many as there are, as there is shared memory for, and for which registers do
/// not become so few that tiles have no room.
int64_t WalkBuilder::residentBlocks() {
  int64_t byRegisters = processorRegisters / (tiles.threads() * fewestRegisters);
  int64_t byMemory = (sharedOfBlock + sharedOfSystem) / (sharedBytes + sharedOfSystem);
  return std::clamp<int64_t>(std::min(byRegisters, byMemory), 1, llvm::divideCeil(blocks, multiprocessors));
}

CudaLaunch WalkBuilder::launch() {
  CudaLaunch launch{{blocks, 1}, tiles.threads(), static_cast<int64_t>(op.getFlops()), bytesOfWalk(op)};
  launch.resident = static_cast<int32_t>(residentBlocks());
  return launch;
}

LogicalResult stretto::codegen::buildWalkKernel(CudaBuilder &b, gpu::GPUModuleOp kernels, kern::WalkOp op,
                                                int64_t sharedOfBlock) {
  if (failed(checkWalk(op)))
    return failure();
  KernelFunction function(b, kernels, op);
  WalkBuilder walk(b, function, op, sharedOfBlock);
  if (failed(walk.build()))
    return failure();
  function.finish(walk.launch());
  return success();
}
