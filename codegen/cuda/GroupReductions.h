//===- GroupReductions.h - sums and extremes along rows --------------------------===//
//
// Each warp of a group reduces its part of a row with shuffles and leaves one number, a part, in shared memory; the
// thread that reads the result combines the parts in order. So one barrier between the stages of a row is enough. Each
// row of a chunk and of its halo has parts of its own: nothing is written twice.
#pragma once

#include "codegen/cuda/GroupBarrier.h"
#include "codegen/cuda/KernelFunction.h"
#include "codegen/cuda/ThreadLayout.h"
#include "codegen/rows/RowPlan.h"

namespace stretto::codegen {

/// Gives so many bytes of the shared memory of a block.
using TakeShared = llvm::function_ref<mlir::Value(int64_t bytes)>;

class GroupReductions {
public:
  /// Of the sections of `phases`. `layoutOf`: how the loop of a section is shared out. `rows`: of a chunk, as it is
  /// walked. `barrier`: of the group.
  GroupReductions(CudaBuilder &b, const RowPlan &plan, llvm::ArrayRef<RowPhase> phases, GroupBarrier &barrier,
                  int64_t threads, int64_t groups, int64_t rows,
                  llvm::function_ref<const ThreadLayout &(Domain)> layoutOf);

  int64_t sharedBytes() const;
  /// Takes shared memory, and fills it where not every part is written. `group`: number of the group in its block;
  /// `thread`: of the thread in its group.
  void allocate(TakeShared take, mlir::Value group, mlir::Value thread);
  /// Whether it fills shared memory: where it does so once more, all must have read what was there.
  bool isFilled() const;

  /// Rows are counted from `walked`, the rows of the chunk that lie behind.
  void enterRows(mlir::Value walked) { base = walked; }
  /// Whether the sum of a section runs on through all heads of its loop.
  static bool isWhole(const Section &section) { return section.domain.heads == 1 || section.target.head == 0; }
  /// Reduces `value` (a vector or a scalar) over the threads that share it and leaves the part. Each thread of the
  /// block comes by. `position`: of the thread, where each head is reduced by itself.
  void leave(const Section &section, mlir::Value value, int64_t row, const ThreadLayout &layout,
             const Position &position);
  /// Element `element` (an index) of the result at a row.
  mlir::Value read(seq::ReduceOp reduce, int64_t row, mlir::Value element);

private:
  struct Memory {
    seq::ReduceOp reduce;
    RowRange rows;
    std::map<int64_t, int64_t> used = {}; // of each number of the result that is left here: its parts
    int64_t parts = 0;                    // of each number
    int64_t left = 0;                     // by all sections, of one row
    mlir::Value pointer = {};             // of the group

    int64_t first() const { return used.empty() ? 0 : used.begin()->first; }
    int64_t targets() const { return used.empty() ? 0 : used.rbegin()->first + 1 - first(); }
    /// Whether each number has all of its parts from sections.
    bool isWritten() const { return left == targets() * parts; }
  };
  struct Share {
    int64_t lanes; // that a shuffle reduces
    int64_t parts; // that are left
  };
  Share shareOf(const Section &section, const ThreadLayout &layout) const;
  void addSection(Memory &memory, const Section &section, int64_t parts);
  int64_t rowsOf(const Memory &memory) const { return rows + memory.rows.high - memory.rows.low; }
  int64_t numbersOf(const Memory &memory) const { return rowsOf(memory) * memory.targets() * memory.parts; }
  int64_t bytesOf(const Memory &memory) const;
  void fill(const Memory &memory);
  /// Address of the first part.
  mlir::Value addressOf(const Memory &memory, int64_t row, mlir::Value element);

  CudaBuilder &b;
  const RowPlan &plan;
  GroupBarrier &barrier;
  int64_t threads, groups, rows;
  llvm::SmallVector<Memory> memories;                                                     // by the number of the root
  std::map<std::tuple<unsigned, int64_t, int64_t, int64_t, int64_t>, int64_t> firstParts; // of a section
  mlir::Value thread, base;
};

} // namespace stretto::codegen
