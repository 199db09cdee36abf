//===- Tables.h - the program as data -----------------------------------------===//
#pragma once

#include "codegen/host/Calls.h"
#include "ir/kern/Slots.h"

namespace stretto::codegen {

/// What the table of a program says; filled before the functions of the module are replaced by host code.
struct ProgramFacts {
  struct Table {
    mlir::Operation *op; // seq.table or seq.layer_numbers
    kern::SlotAttr slot;
  };
  struct Kernel {
    std::string name, location, group;
    llvm::SmallVector<int64_t> bufferBytes;
    int64_t chunkRows = 0;                 // 0: it is launched whole
    llvm::SmallVector<int64_t> chunkBytes; // of each buffer, where it is not
  };
  llvm::SmallVector<Table> tables;
  llvm::SmallVector<Kernel> kernels; // in the order of their numbers
  KernelNumbers numbers;
  std::vector<Site> sites; // filled as host code is made
  int64_t add = -1;        // the number of the kernel of `accumulate`; -1: there is none
  double flopsForward = 0, flopsBackward = 0;
  std::string plan;
};

/// Reads the facts from a planned module. Fails where two uses of a kernel disagree.
mlir::FailureOr<ProgramFacts> collectFacts(mlir::ModuleOp module);

/// Adds `stretto_compiled_program` and everything it points to.
mlir::LogicalResult emitTables(mlir::ModuleOp module, const ProgramFacts &facts);

} // namespace stretto::codegen
