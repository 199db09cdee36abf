//===- KernSchedules.cpp - rules of schedules -----------------------------===//
#include "ir/kern/KernOps.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::kern;

using EmitError = function_ref<InFlightDiagnostic()>;

/// A number of a schedule by its name.
using Field = std::pair<StringRef, int64_t>;

static LogicalResult isAtMost(int64_t most, Field field, EmitError emitError) {
  auto [name, number] = field;
  if (number > most)
    return emitError() << name << " of a schedule must be at most " << most << ", but got " << number;
  return success();
}

/// With the limit of counts, products of two numbers can be computed.
static LogicalResult areAtLeast(int64_t least, ArrayRef<Field> fields, EmitError emitError) {
  for (auto [name, number] : fields)
    if (number < least)
      return emitError() << name << " of a schedule must be at least " << least << ", but got " << number;
    else if (failed(isAtMost(mostOfCount, {name, number}, emitError)))
      return failure();
  return success();
}

/// What is computed together.
static LogicalResult areRowsAndLanes(int64_t rows, int64_t lanes, EmitError emitError) {
  if (failed(isAtMost(mostRows, {"rows", rows}, emitError)))
    return failure();
  if (!llvm::isPowerOf2_64(lanes) || lanes > mostLanes)
    return emitError() << "lanes of a schedule must be a power of two of at most " << mostLanes << ", but got "
                       << lanes;
  return success();
}

/// Chunks lie in one sequence each.
static int64_t chunksOf(int64_t batch, int64_t time, int64_t chunk) { return batch * llvm::divideCeil(time, chunk); }

//===- Rows with vectors ------------------------------------------------------===//

LogicalResult VectorScheduleAttr::verify(EmitError emitError, int64_t rows, int64_t lanes, int64_t chunk,
                                         int64_t pieces, int64_t strip) {
  if (failed(areAtLeast(1, {{"rows", rows}, {"lanes", lanes}, {"chunk", chunk}}, emitError)) ||
      failed(areRowsAndLanes(rows, lanes, emitError)))
    return failure();
  // Without strips both are 0, by not being there.
  return areAtLeast(pieces || strip ? 1 : 0, {{"pieces", pieces}, {"strip", strip}}, emitError);
}

int64_t VectorScheduleAttr::getChunks(int64_t batch, int64_t time) const { return chunksOf(batch, time, getChunk()); }
// A launch of some chunks would lack strips.
int64_t VectorScheduleAttr::getLaunchRows() const { return getStrip() ? 0 : getChunk(); }

//===- Rows with threads ------------------------------------------------------===//

LogicalResult ThreadScheduleAttr::verify(EmitError emitError, int64_t rows, int64_t lanes, int64_t chunk,
                                         int64_t threads, int64_t groups, int64_t tiles, int64_t places) {
  if (failed(areAtLeast(1,
                        {{"rows", rows},
                         {"lanes", lanes},
                         {"chunk", chunk},
                         {"threads", threads},
                         {"groups", groups},
                         {"tiles", tiles},
                         {"places", places}},
                        emitError)))
    return failure();
  return areRowsAndLanes(rows, lanes, emitError);
}

int64_t ThreadScheduleAttr::getChunks(int64_t batch, int64_t time) const { return chunksOf(batch, time, getChunk()); }
// A block has several groups; where groups share a chunk, blocks in two directions do.
int64_t ThreadScheduleAttr::getLaunchRows() const { return getTiles() == 1 ? getChunk() * getGroups() : 0; }

//===- Matmuls with an epilogue -----------------------------------------------===//

LogicalResult StripScheduleAttr::verify(EmitError emitError, int64_t pieces, int64_t strip, int64_t block, int64_t rows,
                                        int64_t lanes, int64_t chunk) {
  LogicalResult counts = areAtLeast(
      1, {{"pieces", pieces}, {"strip", strip}, {"block", block}, {"rows", rows}, {"lanes", lanes}, {"chunk", chunk}},
      emitError);
  if (failed(counts) || failed(isAtMost(mostBlock, {"block", block}, emitError)))
    return failure();
  return areRowsAndLanes(rows, lanes, emitError);
}

int64_t StripScheduleAttr::getChunks(int64_t batch, int64_t time) const { return chunksOf(batch, time, getChunk()); }
int64_t StripScheduleAttr::getLaunchRows() const { return 0; } // a launch of some chunks would lack strips

LogicalResult TileScheduleAttr::verify(EmitError emitError, int64_t run, int64_t tileRows, int64_t pieces,
                                       int64_t strip, int64_t stages, int64_t blocks, int64_t warps, int64_t threads,
                                       int64_t rows, int64_t lanes, int64_t cluster) {
  if (failed(areAtLeast(1,
                        {{"run", run},
                         {"tile_rows", tileRows},
                         {"pieces", pieces},
                         {"strip", strip},
                         {"stages", stages},
                         {"blocks", blocks},
                         {"warps", warps},
                         {"threads", threads},
                         {"rows", rows},
                         {"lanes", lanes},
                         {"cluster", cluster}},
                        emitError)))
    return failure();
  if (warps > mostWarps)
    return emitError() << "warps of a schedule must be at most the " << mostWarps << " of a thread block, but got "
                       << warps;
  if (threads > warps * warpThreads)
    return emitError() << "threads of a schedule must be at most the " << warps * warpThreads
                       << " of its warps, but got " << threads;
  return isAtMost(mostRows, {"rows", rows}, emitError);
}

// Runs go over the ends of sequences; each group of the epilogue has sums of its own.
int64_t TileScheduleAttr::getChunks(int64_t batch, int64_t time) const {
  return llvm::divideCeil(batch * time, getRun()) * getGroups();
}
int64_t TileScheduleAttr::getLaunchRows() const { return 0; } // blocks go over items of all rows
