//===- ColumnSums.h - the sums over the rows of a chunk -------------------------===//
//
// A thread adds up its columns in registers, row after row. At the end of the chunk it stores them; where several heads
// or sections add to one column, their sums meet in shared memory and are added in order.
#pragma once

#include "codegen/cuda/GroupReductions.h"
#include "codegen/rows/RowPlan.h"

namespace stretto::codegen {

/// The sum of one section at one position.
struct ColumnSum {
  const Section *section;
  const ThreadLayout *layout;
  Position position;
  mlir::Value value;
};

/// Whether each column of a sum is added to by one element of a row only.
bool isInjective(const RowPlan &plan, unsigned root);

/// Neighbouring elements of a result; in strip s they lie `s * strip` further.
struct TargetRange {
  int64_t first, count, strip;
};

/// The elements of a result that some sections add to, each once.
llvm::SmallVector<TargetRange, 1> targetsOf(llvm::ArrayRef<const Section *> sections);

class ColumnSumStore {
public:
  /// `threads` of a group, all tiles together; `group` of its block; `live`: whether the chunk exists (null: yes);
  /// `strip`: of those that the plan is for (null: it is for whole rows); `barrier`: of the group.
  ColumnSumStore(CudaBuilder &b, TakeShared take, GroupBarrier &barrier, int64_t threads, int64_t groups,
                 mlir::Value thread, mlir::Value group, mlir::Value live, mlir::Value strip)
      : b(b), take(take), barrier(barrier), threads(threads), groups(groups), thread(thread), group(group), live(live),
        strip(strip) {}

  /// Stores the sums of one result, `columns` numbers from `pointer` on.
  void store(llvm::ArrayRef<ColumnSum> sums, bool injective, mlir::Value pointer, int64_t columns);
  /// Shared memory that a result needs whose columns are not added to by one element each.
  static int64_t sharedBytes(llvm::ArrayRef<const Section *> sections, int64_t columns, int64_t elementBytes,
                             int64_t groups);

private:
  void storeDirectly(const ColumnSum &sum, mlir::Value pointer, int64_t columns);
  void gather(llvm::ArrayRef<ColumnSum> sums, mlir::Value pointer, int64_t columns);
  void addStaged(const Section &section, mlir::Value staged, mlir::Value totals, mlir::Type element);
  mlir::Value targetOf(const ColumnSum &sum);
  mlir::Value inStrip(mlir::Value element, int64_t stride);
  void forColumns(int64_t count, llvm::function_ref<void(mlir::Value)> body);

  CudaBuilder &b;
  TakeShared take;
  GroupBarrier &barrier;
  int64_t threads, groups;
  mlir::Value thread, group, live, strip;
};

} // namespace stretto::codegen
