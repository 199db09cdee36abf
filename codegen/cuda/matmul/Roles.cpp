//===- Roles.cpp - what the warps of a matmul do --------------------------------------===//
#include "codegen/cuda/matmul/Roles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <numeric>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static Value equals(CudaBuilder &b, Value value, int64_t number) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, b.index(number));
}

MatmulRoles::MatmulRoles(CudaBuilder &b, KernelFunction &function, kern::MatmulOp op, const MatmulTiling &tiling,
                         Value shared, Value result)
    : b(b), tiling(tiling), result(result), staging(b.address(shared, b.getI8Type(), tiling.stagingStart())),
      operands(b, function, op, tiling, shared), accumulators(b, tiling),
      stages(b, b.address(shared, b.getI8Type(), tiling.barrierStart()), tiling.stages,
             /*writers=*/1, /*readers=*/tiling.consumerWarps()),
      staged(b, b.address(shared, b.getI8Type(), tiling.barrierStart() + Stages::bytes(tiling.stages)), /*stages=*/1,
             /*writers=*/tiling.consumerWarps(), /*readers=*/MatmulTiling::epilogueWarps) {}

void MatmulRoles::arriveOnce(llvm::function_ref<void()> arrive) {
  b.syncWarp();
  b.when(equals(b, lane, 0), arrive);
}

Values MatmulRoles::forEachTile(ValueRange carried, llvm::function_ref<Values(MatmulTile, ValueRange)> body) {
  return forEach(b, block, b.index(tiling.items()), tiling.blocks, carried, [&](Value item, ValueRange ofItem) {
    Value column = b.mul(b.remainder(item, tiling.strips()), tiling.tileColumns);
    Value first = b.mul(b.divide(item, tiling.strips()), tiling.run);
    Value end = b.minimum(b.add(first, b.index(tiling.run)), b.index(tiling.tilesOfStrip()));
    return forEach(b, first, end, 1, ofItem, [&](Value number, ValueRange ofTile) {
      return body({b.mul(number, tiling.tileRows), column}, ofTile);
    });
  });
}

//===- Copying ----------------------------------------------------------------===//

void MatmulRoles::copyOperands() {
  forEachTile(stages.start().values(), [&](MatmulTile tile, ValueRange ofTile) {
    return forEach(b, b.index(0), b.index(tiling.steps()), 1, ofTile, [&](Value step, ValueRange now) {
      StagePlace place(now);
      stages.awaitEmpty(place);
      stages.expectFull(place, operands.bytesOfStage());
      operands.copy(step, tile, place.stage, stages.full(place.stage));
      return stages.next(place).values();
    });
  });
}

//===- Multiplying ------------------------------------------------------------===//

/// A stage is empty again when the matmuls behind the ones that read it have begun: so these do not wait for each
/// other. The lanes of a warp leave a wait for matmuls together.
Value MatmulRoles::multiplyTile(StagePlace &place, Value group) {
  stages.awaitFull(place);
  Values carried{accumulators.multiply(accumulators.zero(), operands, place.stage, group), place.stage};
  llvm::append_range(carried, stages.next(place).values());
  carried = forEach(b, b.index(1), b.index(tiling.steps()), 1, carried, [&](Value, ValueRange now) {
    StagePlace next(now.drop_front(2));
    stages.awaitFull(next);
    Values after{accumulators.multiply(now[0], operands, next.stage, group), next.stage};
    accumulators.await(1);
    b.when(equals(b, lane, 0), [&] { stages.arriveEmpty(now[1]); });
    llvm::append_range(after, stages.next(next).values());
    return after;
  });
  accumulators.await(0);
  b.when(equals(b, lane, 0), [&] { stages.arriveEmpty(carried[1]); });
  place = StagePlace(ValueRange(carried).drop_front(2));
  return carried[0];
}

void MatmulRoles::multiply(Value warp) {
  Values carried = stages.start().values();
  llvm::append_range(carried, staged.start().values());
  Value group = b.divide(warp, MatmulTiling::groupWarps);
  forEachTile(carried, [&](MatmulTile, ValueRange now) {
    StagePlace place(now.take_front(2)), turn(now.drop_front(2));
    Value sums = multiplyTile(place, group);
    staged.awaitEmpty(turn);
    accumulators.stage(sums, staging, warp, lane);
    arriveOnce([&] { staged.arriveFull(turn); });
    Values next = place.values();
    llvm::append_range(next, staged.next(turn).values());
    return next;
  });
}

//===- Storing ----------------------------------------------------------------===//

/// The threads of the epilogue have vectors of the tile in turn, those of a row side by side.
void MatmulRoles::storeTile(MatmulTile tile, Value thread) {
  constexpr int64_t threads = MatmulTiling::epilogueWarps * warpThreads, widest = 8; // bf16 in 16 bytes
  Type element = b.getBF16Type();
  int64_t lanes = std::gcd(widest, tiling.columns), vectors = tiling.tileColumns / lanes;
  forEach(b, thread, b.index(tiling.tileRows * vectors), threads, {}, [&](Value vector, ValueRange) {
    Value row = b.divide(vector, vectors), column = b.mul(b.remainder(vector, vectors), lanes);
    Value toRow = b.add(tile.row, row), toColumn = b.add(tile.column, column), isThere;
    if (tiling.rows % tiling.tileRows)
      isThere = b.less(toRow, tiling.rows);
    if (tiling.columns % tiling.tileColumns)
      isThere = b.both(isThere, b.less(toColumn, tiling.columns));
    Value from = b.address(b.address(staging, b.getI8Type(), b.mul(row, tiling.pitch())), element, column);
    Value numbers = b.loadAligned(element, lanes, from, lanes * 2);
    b.when(isThere, [&] {
      Value to = b.address(result, element, b.add(b.mul(toRow, tiling.columns), toColumn));
      b.storeAligned(numbers, to, lanes * 2);
    });
    return Values();
  });
}

void MatmulRoles::storeTiles(Value thread) {
  forEachTile(staged.start().values(), [&](MatmulTile tile, ValueRange now) {
    StagePlace turn(now);
    staged.awaitFull(turn);
    storeTile(tile, thread);
    arriveOnce([&] { staged.arriveEmpty(turn.stage); });
    return staged.next(turn).values();
  });
}

//===- The kernel -------------------------------------------------------------===//

void MatmulRoles::build() {
  Value thread = b.threadIndex(tiling.threads()), warp = b.divide(thread, warpThreads);
  block = b.blockIndexX(tiling.blocks);
  lane = b.remainder(thread, warpThreads);
  b.when(equals(b, thread, 0), [&] {
    stages.initialise();
    staged.initialise();
    NVVM::FenceMbarrierInitOp::create(b); // so that copies see them, too
  });
  b.barrier();
  // Of a lane that is elected the assembler knows that it is alone: what it copies by lies in registers of the warp.
  auto copyOrStore = [&] {
    branch(
        b, equals(b, warp, 0),
        [&] { b.when(NVVM::ElectSyncOp::create(b, b.getI1Type(), Value()), [&] { copyOperands(); }); },
        [&] { storeTiles(b.add(thread, b.index(-warpThreads))); });
  };
  branch(b, b.less(warp, MatmulTiling::groupWarps), copyOrStore,
         [&] { multiply(b.add(warp, b.index(-MatmulTiling::groupWarps))); });
}
