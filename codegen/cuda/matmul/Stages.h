//===- Stages.h - places in shared memory that some warps fill and others empty ----===//
//
// Stages follow each other in a ring. Each has two mbarriers: one for "it is full", one for "it is empty again".
// Writers and readers go around the ring in the same order and carry where they stand. A stage that nobody has filled
// yet counts as empty: the phase in front of the first one of a new mbarrier is complete.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "codegen/cuda/ControlFlow.h"

namespace stretto::codegen {

/// Where a thread stands: the stage that it comes to next, and the parity of its turn around the ring (i32).
struct StagePlace {
  mlir::Value stage, parity;

  StagePlace(mlir::Value stage, mlir::Value parity) : stage(stage), parity(parity) {}
  /// As a loop carries it.
  explicit StagePlace(mlir::ValueRange carried) : StagePlace(carried[0], carried[1]) {}
  Values values() const { return {stage, parity}; }
};

/// Stages that blocks of a cluster fill for each other have readers in all of these: each gives a stage back to all.
class Stages {
public:
  /// `memory`: of the mbarriers, at the same place in all blocks of a cluster. So many arrivals fill a stage, or empty
  /// it.
  Stages(CudaBuilder &b, mlir::Value memory, int64_t stages, int64_t writers, int64_t readers)
      : b(b), memory(memory), stages(stages), writers(writers), readers(readers) {}

  static int64_t bytes(int64_t stages) { return 2 * stages * barrierBytes; }

  /// By one thread; the others see it behind a barrier.
  void initialise();
  StagePlace start();
  StagePlace next(StagePlace place);

  void awaitFull(StagePlace place) { await(full(place.stage), place.parity); }
  void awaitEmpty(StagePlace place);
  /// By one thread of each warp, when all of its lanes are done.
  void arriveFull(StagePlace place) { arrive(full(place.stage)); }
  void arriveEmpty(mlir::Value stage) { arrive(empty(stage)); }
  /// The same in a block of the cluster, by its number there.
  void arriveEmptyOf(mlir::Value block, mlir::Value stage);
  /// By the writer: arrives, and lets the stage be full when so many bytes have come besides.
  void expectFull(StagePlace place, int64_t bytes);
  /// The mbarrier that copies report to.
  mlir::Value full(mlir::Value stage);

private:
  static constexpr int64_t barrierBytes = 8;

  mlir::Value empty(mlir::Value stage);
  void await(mlir::Value barrier, mlir::Value parity);
  void arrive(mlir::Value barrier);
  mlir::Value word(int32_t value);

  CudaBuilder &b;
  mlir::Value memory;
  int64_t stages, writers, readers;
};

} // namespace stretto::codegen
