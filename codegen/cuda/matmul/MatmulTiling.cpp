//===- MatmulTiling.cpp - how a matmul on tensor cores is cut into tiles ---------===//
#include "codegen/cuda/matmul/MatmulTiling.h"

#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/matmul/Stages.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

MatmulTiling::MatmulTiling(kern::MatmulOp op, kern::TileScheduleAttr s)
    : rows(op.getRows().first * op.getRows().second), columns(op.getColumns()), depth(op.getDepth()), run(s.getRun()),
      tileRows(s.getTileRows()), tileColumns(s.getTileColumns()), stages(s.getStages()), blocks(s.getBlocks()),
      isTransposed(op.getForm() == kern::WeightForm::transposed) {}

int64_t MatmulTiling::sharedBytes() const { return barrierStart() + Stages::bytes(stages) + Stages::bytes(1); }

SmallVector<TileRule> MatmulTiling::rules() const {
  std::string room = ("at least 2, and few enough for a block to take at most " + Twine(mostShared) +
                      " bytes of shared memory (it takes " + Twine(sharedBytes()) + ")")
                         .str();
  return {
      {"run", run, run >= 1, "at least 1"},
      {"blocks", blocks, blocks >= 1, "at least 1"},
      {"tile_rows", tileRows, tileRows == 64 || tileRows == 128, "64 or 128"},
      {"tile_columns", tileColumns, tileColumns == 64 || tileColumns == 128 || tileColumns == 256, "64, 128 or 256"},
      {"stages", stages, stages >= 2 && sharedBytes() <= mostShared, room}};
}
