//===- ScheduleRule.h - what device code can be made for ----------------------===//
#pragma once

#include "mlir/IR/Operation.h"

#include <string>

namespace stretto::codegen {

/// A field of a schedule, and what it must be.
struct ScheduleRule {
  llvm::StringRef field;
  int64_t value;
  bool holds;
  std::string expected;
};

/// Reports the first rule that the schedule of a kernel breaks.
inline mlir::LogicalResult obeys(mlir::Operation *kernel, llvm::ArrayRef<ScheduleRule> rules) {
  for (const ScheduleRule &rule : rules)
    if (!rule.holds)
      return kernel->emitOpError() << rule.field << " of its schedule must be " << rule.expected << ", but got "
                                   << rule.value;
  return mlir::success();
}

} // namespace stretto::codegen
