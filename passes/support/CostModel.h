//===- CostModel.h - what decides between memory and arithmetic on a device -----===//
#pragma once

#include <cstdint>

namespace stretto::passes {

/// What a device is like as far as it decides which row operations share a kernel, and what is saved for the backward.
/// Each target has its own (`Backend::costModel`); the values here are those of the CPU, the target where none is
/// named.
struct CostModel {
  /// Elementwise operations, counted by `cyclesOf`, that take as long as one byte from memory. CPU: 16 lanes and about
  /// 5 bytes per cycle.
  double operationsPerByte = 3.0;
  /// Rows computed together when nothing speaks against it: what taps reach beside them is computed twice.
  int64_t blockRows = 8;
  /// Rows that are held between two stages of a kernel with taps, besides those that the taps reach. CPU: blocks,
  /// smaller ones where they would not fit.
  int64_t heldRows = 4;
  /// Bytes of rows that may be held so without reading them from memory again. CPU: half of a second-level cache.
  int64_t heldBytes = 512 * 1024;
  /// Rows over which a kernel keeps what taps read again: what they reach further away it reads or computes once more,
  /// and does not sum along. CPU: any, in memory.
  int64_t keptRows = INT64_MAX;
  /// Bytes that are moved which weigh as much as one of memory that a saved value takes
  /// (docs/performance/compiler.md, "Memory for time").
  double savedByteWeight = 6;
};

} // namespace stretto::passes
