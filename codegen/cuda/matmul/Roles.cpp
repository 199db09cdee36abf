//===- Roles.cpp - what the warps of a matmul do --------------------------------------===//
#include "codegen/cuda/matmul/Roles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

static Value equals(CudaBuilder &b, Value value, int64_t number) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, b.index(number));
}

MatmulRoles::MatmulRoles(CudaBuilder &b, KernelFunction &function, kern::MatmulOp op, const MatmulTiling &tiling,
                         Value shared)
    : b(b), tiling(tiling), operands(b, function, op, tiling, shared), accumulators(b, tiling),
      epilogue(b, function, op, tiling, shared),
      stages(b, b.address(shared, b.getI8Type(), tiling.barrierStart()), tiling.stages,
             /*writers=*/1, /*readers=*/tiling.consumerWarps() * tiling.cluster),
      staged(b, b.address(shared, b.getI8Type(), tiling.barrierStart() + Stages::bytes(tiling.stages)), /*stages=*/1,
             /*writers=*/tiling.consumerWarps(), /*readers=*/tiling.activeWarps()) {}

void MatmulRoles::arriveOnce(llvm::function_ref<void()> arrive) {
  b.syncWarp();
  b.when(equals(b, lane, 0), arrive);
}

MatmulItem MatmulRoles::itemOf(Value number) {
  Value ofCluster = b.divide(number, tiling.cluster), strip = b.remainder(ofCluster, tiling.strips());
  Value firstRun = b.mul(b.divide(ofCluster, tiling.strips()), tiling.cluster);
  MatmulItem item = itemOfRun(b.add(firstRun, b.remainder(number, tiling.cluster)));
  item.strip = strip;
  item.turns = tiling.tilesDiffer() ? itemOfRun(firstRun).tiles : item.tiles;
  return item;
}

/// In no strip. A run that is not there has no rows.
MatmulItem MatmulRoles::itemOfRun(Value run) {
  RowRange around = tiling.runsOverlap() ? tiling.halo : RowRange();
  Value all = b.index(tiling.rows);
  MatmulItem item;
  item.run = run;
  item.first = b.mul(run, tiling.run);
  if (tiling.lacksRuns())
    item.first = b.minimum(item.first, all);
  item.last = b.minimum(b.add(item.first, b.index(tiling.run)), all);
  item.begin = b.add(item.first, b.index(around.low));
  Value rows = b.add(b.minimum(b.add(item.last, b.index(around.high)), all), b.mul(item.begin, -1));
  item.tiles = b.divide(b.add(rows, b.index(tiling.tileRows - 1)), tiling.tileRows);
  return item;
}

Values MatmulRoles::forEachItem(ValueRange carried, llvm::function_ref<Values(Value, ValueRange)> body) {
  return forEach(b, block, b.index(tiling.items()), tiling.blocks, carried, body);
}

Values MatmulRoles::forEachTile(ValueRange carried, llvm::function_ref<Values(MatmulTile, ValueRange)> body) {
  return forEachItem(carried, [&](Value number, ValueRange ofItem) {
    MatmulItem item = itemOf(number);
    return forEach(b, b.index(0), item.turns, 1, ofItem, [&](Value tile, ValueRange ofTile) {
      return body({b.add(item.begin, b.mul(tile, tiling.tileRows)), item.strip}, ofTile);
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
      operands.copy(step, tile, b.remainder(block, tiling.cluster), place.stage, stages.full(place.stage));
      return stages.next(place).values();
    });
  });
}

//===- Multiplying ------------------------------------------------------------===//

/// The lanes of a warp leave a wait for matmuls together.
void MatmulRoles::giveBack(Value stage) {
  if (tiling.cluster == 1)
    b.when(equals(b, lane, 0), [&] { stages.arriveEmpty(stage); });
  else
    b.when(b.less(lane, tiling.cluster), [&] { stages.arriveEmptyOf(/*block=*/lane, stage); });
}

/// A stage is empty again when the matmuls behind the ones that read it have begun: so these do not wait for each
/// other.
Value MatmulRoles::multiplyTile(StagePlace &place, Value warpgroup) {
  stages.awaitFull(place);
  Values carried{accumulators.multiply(accumulators.zero(), operands, place.stage, warpgroup, /*isFirst=*/true),
                 place.stage};
  llvm::append_range(carried, stages.next(place).values());
  carried = forEach(b, b.index(1), b.index(tiling.steps()), 1, carried, [&](Value, ValueRange now) {
    StagePlace next(now.drop_front(2));
    stages.awaitFull(next);
    Values after{accumulators.multiply(now[0], operands, next.stage, warpgroup, /*isFirst=*/false), next.stage};
    accumulators.await(1);
    giveBack(now[1]);
    llvm::append_range(after, stages.next(next).values());
    return after;
  });
  accumulators.await(0);
  giveBack(carried[1]);
  place = StagePlace(ValueRange(carried).drop_front(2));
  return carried[0];
}

void MatmulRoles::multiply(Value warp) {
  Values carried = stages.start().values();
  llvm::append_range(carried, staged.start().values());
  Value warpgroup = b.divide(warp, MatmulTiling::warpgroupWarps);
  forEachTile(carried, [&](MatmulTile, ValueRange now) {
    StagePlace place(now.take_front(2)), turn(now.drop_front(2));
    Value sums = multiplyTile(place, warpgroup);
    staged.awaitEmpty(turn);
    accumulators.stage(sums, epilogue.staging(), warp, lane);
    arriveOnce([&] { staged.arriveFull(turn); });
    Values next = place.values();
    llvm::append_range(next, staged.next(turn).values());
    return next;
  });
}

//===- The epilogue -----------------------------------------------------------===//

MatmulItem MatmulRoles::renewedItem(Value number) { return itemOf(epilogue.renew(number, tiling.items())); }

Values MatmulRoles::computeItem(RowwiseBuilder &rows, Value number, Value thread, ValueRange turn) {
  Values carried(turn);
  llvm::append_range(carried, rows.emptySums());
  carried = forEach(b, b.index(0), itemOf(number).turns, 1, carried, [&](Value tile, ValueRange now) {
    StagePlace place(now.take_front(2));
    Operation *loop = b.getInsertionBlock()->getParentOp();
    staged.awaitFull(place);
    Values sums = epilogue.walkTile(rows, renewedItem(number), epilogue.renew(tile, tiling.tilesOfRun()), thread,
                                    now.drop_front(2), loop);
    epilogue.keepRows(thread);
    arriveOnce([&] { staged.arriveEmpty(place.stage); });
    Values next = staged.next(place).values();
    llvm::append_range(next, sums);
    return next;
  });
  storeSums(rows, number, thread, ValueRange(carried).drop_front(2));
  return Values(ArrayRef(carried).take_front(2));
}

void MatmulRoles::storeSums(RowwiseBuilder &rows, Value number, Value thread, ValueRange sums) {
  Value run = renewedItem(number).run;
  b.when(tiling.lacksRuns() ? b.less(run, tiling.runs()) : Value(),
         [&] { rows.storeColumnSums(b.add(b.mul(run, tiling.groups()), epilogue.groupOf(thread)), sums); });
}

void MatmulRoles::computeEpilogue(Value thread) {
  forEachItem(staged.start().values(), [&](Value item, ValueRange turn) {
    // That takes registers from some epilogues and gives others more: it is made in every third step alone.
    Value number = epilogue.renew(item, tiling.items(), /*step=*/3);
    return epilogue.forStrip(itemOf(number).strip, thread, turn,
                             [&](RowwiseBuilder &rows) { return computeItem(rows, number, thread, turn); });
  });
}

//===- The kernel -------------------------------------------------------------===//

void MatmulRoles::meetAtStart() {
  if (tiling.cluster == 1)
    return b.barrier();
  NVVM::ClusterArriveRelaxedOp::create(b, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

/// The lanes of a warp may come here apart.
void MatmulRoles::meetAtEnd() {
  if (tiling.cluster == 1)
    return;
  NVVM::ClusterArriveOp::create(b, /*aligned=*/UnitAttr());
  NVVM::ClusterWaitOp::create(b, /*aligned=*/UnitAttr());
}

void MatmulRoles::keepRegisters(int64_t registers) {
  int64_t before = tiling.registersAtLaunch();
  if (!tiling.exchangesRegisters() || registers == before)
    return;
  auto action = registers > before ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(b, static_cast<uint32_t>(registers), action);
}

/// Of a lane that is elected the assembler knows that it is alone: what it copies by lies in registers of the warp.
void MatmulRoles::copyByOneLane() {
  b.when(NVVM::ElectSyncOp::create(b, b.getI1Type(), Value()), [&] { copyOperands(); });
}

/// What warpgroups do; the warps of one exchange registers together.
void MatmulRoles::takeRoles(Value thread, Value warp) {
  auto copies = [&] { return equals(b, warp, tiling.copier()); };
  auto copy = [&] { copyByOneLane(); };
  auto finish = [&] {
    Value first = b.index(-tiling.firstOfEpilogue()), isActive;
    if (tiling.activeWarps() < tiling.warps)
      isActive = b.less(b.add(warp, first), tiling.activeWarps());
    b.when(isActive, [&] { computeEpilogue(b.add(thread, b.mul(first, warpThreads))); });
  };
  auto inEpilogue = [&] {
    keepRegisters(tiling.registersOfEpilogue());
    tiling.copierIsApart() ? finish() : branch(b, copies(), copy, finish);
  };
  auto inMatmuls = [&] {
    keepRegisters(tiling.registersOfConsumer());
    multiply(b.add(warp, b.index(-tiling.firstConsumer())));
  };
  auto inCopies = [&] {
    keepRegisters(MatmulTiling::registersOfCopier);
    b.when(copies(), copy);
  };
  branch(b, b.less(warp, tiling.firstConsumer()), inEpilogue,
         [&] { tiling.copierIsApart() ? branch(b, b.less(warp, tiling.copier()), inMatmuls, inCopies) : inMatmuls(); });
}

void MatmulRoles::build() {
  Value thread = b.threadIndex(tiling.threads()), warp = b.divide(thread, warpThreads);
  block = b.blockIndexX(tiling.blocks);
  lane = b.remainder(thread, warpThreads);
  b.when(equals(b, thread, 0), [&] {
    stages.initialise();
    staged.initialise();
    NVVM::FenceMbarrierInitOp::create(b); // so that copies see them, too
  });
  meetAtStart();
  takeRoles(thread, warp);
  meetAtEnd();
}
