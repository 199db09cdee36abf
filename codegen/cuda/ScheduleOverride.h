//===- ScheduleOverride.h - what a GPU can do with schedules that a user gives ----===//
#pragma once

#include "codegen/cuda/CudaBuilder.h"
#include "codegen/cuda/ScheduleRule.h"
#include "codegen/rows/ScheduleOverrides.h"

namespace stretto::codegen {

/// The fields of a schedule that can be given: of a rowwise kernel, of both, of a matmul. How many tiles a rowwise
/// kernel has follows from them.
inline constexpr llvm::StringLiteral cudaOverrideFields[] = {"chunk",  "groups", "places",    "threads", "rows",
                                                             "lanes",  "run",    "tile_rows", "pieces",  "strip",
                                                             "stages", "blocks", "warps",     "cluster"};
inline constexpr size_t firstSharedField = 3, firstMatmulField = 6; // in front: of rowwise kernels alone

/// Threads of a group that wants so many: a power of two of lanes of a warp, or whole warps.
int64_t wholeGroup(int64_t wanted);

/// What a rowwise kernel can be made for.
llvm::SmallVector<ScheduleRule> rulesOf(kern::ThreadScheduleAttr schedule);

/// Reports the first rule that a given number breaks.
mlir::LogicalResult checkRules(const ScheduleOverride &given, llvm::ArrayRef<ScheduleRule> rules);

/// Checks that all given numbers are for a kernel of this kind.
mlir::LogicalResult checkFields(const ScheduleOverride &given, bool isMatmul);

/// Checks each given number for itself; `leastLanes` and `mostLanes` are what the kernel can have, the latter what
/// an access brings of its narrowest operand. Reports the first that cannot serve.
mlir::LogicalResult checkOverride(const ScheduleOverride &given, int64_t leastLanes, int64_t mostLanes);

/// Checks given numbers against what was chosen beside them, and the shared memory that a block takes, `mostBytes` of
/// it at most.
mlir::LogicalResult checkTogether(const ScheduleOverride &given, kern::ThreadScheduleAttr schedule, int64_t sharedBytes,
                                  int64_t mostBytes);

} // namespace stretto::codegen
