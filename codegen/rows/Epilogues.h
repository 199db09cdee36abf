//===- Epilogues.h - kernels of rows in the epilogue of a matmul ---------------===//
#pragma once

#include "codegen/rows/Strips.h"
#include "ir/kern/KernOps.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace stretto::codegen {

/// Marks the matmul and the kernel that become one kern.matmul.
inline constexpr llvm::StringLiteral epilogueAttr = "kern.epilogue";

/// How a matmul that can have an epilogue reads its weight; nothing for other operations.
std::optional<kern::WeightForm> weightFormOf(mlir::Operation *op);

/// The argument of a kernel that is the row of a value; nothing where it reads the value in another way too, or not.
std::optional<unsigned> rowArgumentOf(kern::RowwiseOp kernel, mlir::Value value);

/// Which strips suit a matmul with an epilogue: their columns; tokens of a sequence; strips of a row; terms of a sum,
/// below which a strip is multiplied so fast that what an item costs besides is more than what does not move. And what
/// the target can do at all: columns of a piece of a strip are multiples of a unit, numbers in rows of operands too.
struct EpilogueLimits {
  int64_t wantedColumns, mostColumns, leastRows, leastStrips, leastDepth;
  int64_t transposedUnit = 1, rowsUnit = 1, operandUnit = 1;

  /// The same for all matmuls that can have an epilogue, whether it pays or not.
  constexpr EpilogueLimits wherePossible() const {
    EpilogueLimits all = *this;
    all.leastStrips = all.leastDepth = 1;
    return all;
  }
  int64_t columnUnit(kern::WeightForm form) const {
    return form == kern::WeightForm::transposed ? transposedUnit : rowsUnit;
  }
};

/// Why a kernel cannot be the epilogue of the matmul that gives its argument; empty: it can. `form`: of the weight.
std::string refuseEpilogue(kern::RowwiseOp kernel, unsigned argument, kern::WeightForm form,
                           const EpilogueLimits &limits);

/// Nanoseconds that a launch of the one kernel is estimated to take, and the two together.
struct EpilogueTimes {
  int64_t fused, apart;
};

/// What a target says of a pair that can be one kernel: why they stay apart nevertheless, or nothing.
struct EpilogueVerdict {
  std::string reason;
  std::optional<EpilogueTimes> times; // where it estimates
};

/// What decides besides what holds everywhere.
struct EpilogueRules {
  llvm::SmallVector<std::string> types; // of numbers that are multiplied so
  EpilogueLimits limits;
  std::string apart; // why matmuls of the machine have no epilogue; empty: they have
  std::function<EpilogueVerdict(mlir::Operation *matmul, kern::RowwiseOp kernel)> judge; // may be none
};

/// Marks matmuls and the kernels that are to be their epilogues, with remarks (`kern-choose-epilogues`).
void chooseEpilogues(mlir::ModuleOp module, const EpilogueRules &rules);

/// A matmul and the kernel in its epilogue as one operation.
struct FusedMatmul {
  kern::MatmulOp op;
  std::optional<unsigned> row; ///< the result that is the row of the matmul, where others than the kernel read it
};

/// Makes it in front of the kernel; the two stay. `argument`: of the kernel, the row of the matmul.
FusedMatmul fuseMatmul(mlir::Operation *matmul, kern::RowwiseOp kernel, unsigned argument);

} // namespace stretto::codegen
