//===- HostBuilder.h - writing calls of C functions ---------------------------===//
#pragma once

#include "codegen/host/AbiStruct.h"
#include "ir/kern/KernOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace stretto::codegen {

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

  /// A struct of the ABI, to be filled.
  template <typename Struct> AbiStruct<Struct> start() { return AbiStruct<Struct>(getContext()); }
  /// The place of a tensor, or zeros for null. In a scan body the offset moves with the iteration; outside, the stride
  /// of a place is ignored.
  AbiStruct<stretto_buffer> buffer(Value tensor, Value extraOffset = {});

  /// Address of a struct on the stack.
  Value pack(const AbiFields &fields) { return pack(fields.inOrder()); }
  /// Address of an array of structs on the stack.
  template <typename Struct> Value pack(llvm::ArrayRef<AbiStruct<Struct>> structs) {
    llvm::SmallVector<mlir::OpFoldResult> fields;
    for (const AbiStruct<Struct> &one : structs)
      llvm::append_range(fields, one.inOrder());
    return pack(fields);
  }
  /// Address of an array of numbers on the stack.
  Value pack(llvm::ArrayRef<double> numbers);
  /// The number of this iteration, of one for each; outside of scan bodies the only one.
  Value lookUp(llvm::ArrayRef<int64_t> numbers);
  /// Address of a constant text that ends in 0.
  Value text(mlir::StringRef text);
  /// The address of a byte behind a symbol.
  Value address(mlir::StringRef symbol, size_t byte);

  /// Calls the C function `name` with the context and pointers (or numbers).
  void call(mlir::StringRef name, mlir::ValueRange arguments);
  /// Calls another function of the host code.
  void callHost(mlir::StringRef name, mlir::ValueRange arguments);

  /// Runs `body` for 0, 1, ..., trips - 1 (at least once).
  void loop(int64_t trips, llvm::function_ref<void(Value)> body);
  void finish();

private:
  Value pack(llvm::ArrayRef<mlir::OpFoldResult> fields);

  mlir::ModuleOp module;
  mlir::LLVM::LLVMFuncOp function;
};

} // namespace stretto::codegen
