//===- SharedTiles.h - tiles in the shared memory of a block --------------------===//
//
// The code of a walk consists of steps. A step accesses shared memory without regard to the order of threads; between
// two steps there is a barrier where one needs what the other accessed. Both where tiles lie and which barriers are
// needed follows from the accesses, when all code is there.
#pragma once

#include "codegen/cuda/CudaBuilder.h"

namespace stretto::codegen {

/// A tile in shared memory, row-major. Rows of matrices are 16 bytes apart modulo 32, so that the eight rows that a
/// warp accesses at once lie in different banks.
struct SharedTile {
  unsigned number;
  mlir::Value pointer;
  mlir::Type element; ///< in memory: comparisons are bytes
  int64_t stride;     ///< elements from a row to the next
};

class SharedTiles {
public:
  /// The addresses of tiles are computed where the builder stands now.
  explicit SharedTiles(CudaBuilder &b);

  /// Room for a tile; it is taken from the first step that accesses it to the last.
  SharedTile add(mlir::Type element, llvm::ArrayRef<int64_t> shape);
  void beginStep();
  /// The current step reads (writes) a tile.
  void read(const SharedTile &tile) { steps.back().reads.insert(tile.number); }
  void write(const SharedTile &tile) { steps.back().writes.insert(tile.number); }
  /// The current step begins to copy to a tile, which no step accesses before the one that ends it (`write`).
  void beginCopy(const SharedTile &tile) { steps.back().copies.insert(tile.number); }
  /// The steps that begin in between run several times, one after the other.
  void beginLoop() { loopBegin = steps.size(); }
  void endLoop() { loopEnd = steps.size(); }

  /// Gives each tile its place; returns how many bytes they take together.
  int64_t place();
  /// The memory of the block (null: no tile needs any), once all tiles have places; drops barriers that are not needed.
  void finish(mlir::Value memory);

private:
  using Numbers = llvm::SmallDenseSet<unsigned>;
  struct Step {
    mlir::Operation *barrier; // in front of it
    Numbers reads, writes, copies;
    bool isNeeded = false;
  };
  struct Room {
    int64_t bytes, offset;
    mlir::Operation *constant; // the offset in the code
  };
  bool overlap(const Numbers &some, const Numbers &others) const;
  void findBarriers(size_t begin, size_t end);

  CudaBuilder &b;
  mlir::Operation *base; // stands for the memory
  mlir::Operation *last; // of the computation of addresses
  std::vector<Step> steps;
  std::vector<Room> rooms;
  size_t loopBegin = 0, loopEnd = 0;
  Numbers readSince, writtenSince; // the last barrier
};

} // namespace stretto::codegen
