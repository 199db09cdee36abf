//===- CudaEpilogueTest.cpp - kernels at random in matmuls on tensor cores, on the emulator ---===//
#include "CudaLibrary.h"
#include "RandomBody.h"

#include "codegen/cuda/Passes.h"
#include "codegen/cuda/matmul/MatmulTiling.h"
#include "codegen/rows/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

namespace {
constexpr int bodies = 24;

/// Schedules at random, with which items, runs and groups begin and end anywhere.
class Draw {
public:
  explicit Draw(uint64_t seed) : engine(seed) {}

  kern::TileScheduleAttr scheduleOf(kern::MatmulOp op) {
    StripForm form = *MeetingColumns(op, 0).choose(oneOf({16, 64, 256}), 256, unitOf(op));
    kern::TileScheduleAttr schedule;
    do
      schedule = draw(op, form);
    while (!llvm::all_of(MatmulTiling(op, schedule, RowPlan(op).halo()).rules(),
                         [](const ScheduleRule &rule) { return rule.holds; }));
    return schedule;
  }

private:
  static int64_t unitOf(kern::MatmulOp op) {
    return MatmulTiling::columnUnit(op.getForm() == kern::WeightForm::transposed);
  }
  int64_t pick(int64_t low, int64_t high) { return low + static_cast<int64_t>(engine() % (high - low + 1)); }
  int64_t oneOf(std::initializer_list<int64_t> numbers) { return numbers.begin()[engine() % numbers.size()]; }
  kern::TileScheduleAttr draw(kern::MatmulOp op, StripForm form) {
    int64_t run = pick(1, 150), tileRows = oneOf({64, 128}), stages = pick(2, 3), cluster = oneOf({1, 2});
    int64_t blocks = cluster * pick(1, 3);
    int64_t warps = oneOf({3, 4, 7, 8}), threads = 32 * pick(1, warps), rows = pick(1, 3), lanes = oneOf({1, 2, 4, 8});
    return kern::TileScheduleAttr::get(op.getContext(), run, tileRows, form.pieces, form.width, stages, blocks, warps,
                                       threads, rows, lanes, cluster);
  }

  std::mt19937_64 engine;
};

/// Random kernels behind matmuls: those that can be fused, stored as bf16, with partial column sums.
OwningOpRef<ModuleOp> fusedBodies(MLIRContext &context, uint64_t firstSeed, bool drawsSchedules) {
  std::string text;
  for (int i = 0; i < bodies; ++i)
    text += randomBodyForTensorCores("body" + std::to_string(i), firstSeed + i);
  OwningOpRef<ModuleOp> module = parse(context, text);
  for (auto function : module->getOps<func::FuncOp>())
    function.walk([&](kern::RowwiseOp op) { op.setKernel(function.getName()); });
  PassManager fuse(&context), schedule(&context);
  ChooseEpiloguesOptions limits;
  limits.wantedColumns = limits.mostColumns = 256;
  limits.leastRows = limits.leastStrips = limits.leastDepth = 1;
  fuse.addPass(createChooseEpilogues(limits));
  fuse.addPass(createFuseEpilogues());
  if (failed(fuse.run(*module)))
    return nullptr;
  module->walk([](func::FuncOp function) {
    if (function.getOps<kern::MatmulOp>().empty())
      function.erase();
  });
  storeAsBf16(*module);
  Draw draw(firstSeed);
  if (drawsSchedules)
    module->walk([&](kern::MatmulOp op) { op.setScheduleAttr(draw.scheduleOf(op)); });
  schedule.addPass(createChooseCudaSchedule());
  schedule.addPass(createSplitColumnSums());
  return succeeded(schedule.run(*module)) ? std::move(module) : nullptr;
}

/// Compares them, at least `least`, with the interpreter.
void compareRandom(uint64_t firstSeed, int least, bool drawsSchedules) {
  auto context = makeContext();
  OwningOpRef<ModuleOp> module = fusedBodies(*context, firstSeed, drawsSchedules);
  ASSERT_TRUE(module);
  CudaLibrary library(*module);
  ASSERT_TRUE(library.isLoaded());
  int fused = 0;
  module->walk([&](kern::MatmulOp op) { EXPECT_EQ(checkKernel(op, library, firstSeed + fused++), ""); });
  EXPECT_GE(fused, least);
}

TEST(CudaEpilogue, DrawnSchedules) { compareRandom(1000, 12, /*drawsSchedules=*/true); }

/// Among them a kernel of two rows, of which most groups have none.
TEST(CudaEpilogue, ChosenSchedules) { compareRandom(62150, 12, /*drawsSchedules=*/false); }
} // namespace
