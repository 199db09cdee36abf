//===- HostBuilder.h - writing calls of C functions ---------------------------===//
#pragma once

#include "ir/Kern/KernOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto {

/// Builds one function of the host code: `void (stretto_context *)` for entry points, with the number of the
/// iteration as second argument for scan bodies.
class HostBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;
  /// Starts the function `name` at the end of the module.
  HostBuilder(mlir::ModuleOp module, mlir::Location loc, mlir::StringRef name, bool isBody);

  Value context() { return function.getArgument(0); }
  /// The number of the iteration in a scan body, else -1.
  Value iteration() { return function.getNumArguments() == 2 ? Value(function.getArgument(1)) : i64(-1); }
  mlir::LLVM::LLVMPointerType pointer() { return mlir::LLVM::LLVMPointerType::get(getContext()); }
  Value i64(int64_t value);
  Value i32(int32_t value);
  Value f64(double value);

  /// The fields of a stretto_buffer. In a scan body the offset moves with the iteration; outside, the stride of
  /// a place is ignored.
  llvm::SmallVector<Value, 3> buffer(kern::PlaceAttr place, Value extraOffset = {});

  /// Address of a struct on the stack that holds the fields. Nested structs are given field by field: all structs
  /// of the ABI are laid out without gaps.
  Value pack(llvm::ArrayRef<Value> fields);

  /// Calls the C function `name` with the context and pointers (or numbers).
  void call(mlir::StringRef name, mlir::ValueRange arguments);
  /// Calls another function of the host code.
  void callHost(mlir::StringRef name, mlir::ValueRange arguments);

  /// Runs `body` for 0, 1, ..., trips - 1 (at least once).
  void loop(int64_t trips, llvm::function_ref<void(Value)> body);
  void finish();

private:
  mlir::ModuleOp module;
  mlir::LLVM::LLVMFuncOp function;
};

} // namespace stretto
