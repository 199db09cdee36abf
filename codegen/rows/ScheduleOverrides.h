//===- ScheduleOverrides.h - what a user asks of the schedules of kernels ---------===//
//
// A request is written PATTERN:FIELD=NUMBER,FIELD=NUMBER...: the kernels that it is for, `*` standing for any letters,
// and some numbers of their schedules. What it leaves open is chosen.
#pragma once

#include "ir/kern/KernInterfaces.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/GlobPattern.h"

namespace stretto::codegen {

struct ScheduleRequest {
  std::string text, pattern;
  llvm::GlobPattern kernels;
  llvm::SmallVector<std::pair<std::string, int64_t>> numbers; // by field

  /// Reads one request; fills `error` ("must ..., but got ...") where it is none.
  static std::optional<ScheduleRequest> read(llvm::StringRef text, std::string &error);
};

/// The numbers that are given for one kernel.
class ScheduleOverride {
public:
  explicit ScheduleOverride(kern::RowKernel op) : op(op) {}

  bool empty() const { return numbers.empty(); }
  bool has(llvm::StringRef field) const { return !numbers.empty() && numbers.contains(field); }
  /// The number of a field; where none is given, `otherwise`.
  int64_t get(llvm::StringRef field, int64_t otherwise) const;
  void set(llvm::StringRef field, int64_t number) { numbers[field] = number; }
  /// Reports a number that is given and cannot serve.
  mlir::LogicalResult check(llvm::StringRef field, bool holds, const llvm::Twine &expected) const;
  /// Says in a remark what of the schedule was given and what chosen.
  void remark(llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> schedule) const;

private:
  kern::RowKernel op;
  llvm::StringMap<int64_t> numbers;
};

/// All requests. Where several name a kernel, later numbers win.
class ScheduleOverrides {
public:
  /// Reads requests that semicolons part, for schedules with these fields, and finds their kernels below `root`, which
  /// have no schedule yet. Reports what is wrong.
  static mlir::FailureOr<ScheduleOverrides> read(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> fields,
                                                 mlir::Operation *root);

  ScheduleOverride of(kern::RowKernel op) const;

private:
  mlir::LogicalResult checkFields(llvm::ArrayRef<llvm::StringRef> fields, mlir::Location loc) const;
  mlir::LogicalResult checkKernels(mlir::Operation *root, mlir::Location loc) const;

  std::vector<ScheduleRequest> requests;
};

} // namespace stretto::codegen
