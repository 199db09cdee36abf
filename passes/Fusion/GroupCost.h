//===- GroupCost.h - what a kernel of given operations costs ------------------===//
#pragma once

#include "passes/Fusion/GroupGraph.h"

namespace stretto {

/// Rows computed together in a block when nothing speaks against it.
constexpr int64_t kBlockRows = 8;
/// Elementwise operations that take as long as one byte from memory: 16 lanes and about 5 bytes per cycle.
constexpr double kOperationsPerByte = 3.0;
/// Bytes of rows that a block may hold between two stages of a kernel: half of a second-level cache.
constexpr int64_t kBlockBytes = 512 * 1024;

struct GroupCost {
  int64_t bytes = 0;    ///< rows read and written by the kernel
  int64_t reread = 0;   ///< bytes read again by later stages because a block does not fit the cache
  double extra = 0;     ///< elementwise operations on rows beside a block, computed for its taps
  int64_t stages = 1;   ///< passes over the columns of a block: one more than reductions in a chain
  int64_t haloRows = 0; ///< rows beside a block that its taps reach

  /// Time in elementwise operations.
  double getTime() const { return (bytes + reread) * kOperationsPerByte + extra; }
};

/// Elementwise operations that an operation takes.
double costOfOperation(mlir::Operation *op);

/// The cost of a kernel made of `members`, which read and write what `graph` says.
GroupCost costOf(const GroupGraph &graph, llvm::ArrayRef<mlir::Operation *> members);

} // namespace stretto
