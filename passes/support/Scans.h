//===- Scans.h - scans and the functions that are their bodies ----------------===//
#pragma once

#include "ir/seq/SeqOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace stretto::passes {

/// The function that a scan calls.
mlir::func::FuncOp bodyOf(seq::ScanOp scan);

/// The scans of a module by their bodies, which have one caller each.
llvm::DenseMap<mlir::Operation *, seq::ScanOp> scansByBody(mlir::ModuleOp module);

/// The scan that calls a body; null where there is none.
seq::ScanOp scanOf(mlir::func::FuncOp body);

/// The type of what the iterations of a scan give, each a value of type `ofOne`, as one stack.
mlir::RankedTensorType stackType(seq::ScanOp scan, mlir::Type ofOne);

/// A scan like the given one, in front of it, with other operands and results. The uses of the given one are to be
/// replaced before it is erased.
seq::ScanOp rebuildScan(seq::ScanOp scan, mlir::TypeRange results, mlir::ValueRange carry, mlir::ValueRange slices,
                        mlir::ValueRange invariants);

/// Gives a function one argument more, before the one of this number.
mlir::BlockArgument addArgument(mlir::func::FuncOp function, unsigned number, mlir::Type type, mlir::Location loc,
                                mlir::DictionaryAttr attributes = {});

/// Erases what has no effect and no use, the last operation first.
void eraseDead(mlir::Block &block);

/// Gives a function the type that its arguments and what it returns have now.
void updateType(mlir::func::FuncOp function);

} // namespace stretto::passes
