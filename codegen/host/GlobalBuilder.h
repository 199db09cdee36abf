//===- GlobalBuilder.h - constants with pointers in them ----------------------===//
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace stretto {

/// Makes globals of a module whose initial values are structs of numbers and addresses. All texts lie in one global.
class GlobalBuilder {
public:
  explicit GlobalBuilder(mlir::ModuleOp module);

  /// Starts a constant; its value is what `make` returns, with the builder inside of its initializer.
  void define(mlir::StringRef name, mlir::Type type, mlir::LLVM::Linkage linkage,
              llvm::function_ref<mlir::Value()> make);
  /// Writes the global that holds the texts; call it last.
  void finish();

  // For use inside of an initializer:
  mlir::Value i64(int64_t value) { return constant(b.getI64IntegerAttr(value)); }
  mlir::Value i32(int32_t value) { return constant(b.getI32IntegerAttr(value)); }
  mlir::Value f64(double value) { return constant(b.getF64FloatAttr(value)); }
  mlir::Value text(llvm::StringRef text);
  mlir::Value null();
  mlir::Value address(llvm::StringRef symbol);
  /// The address of entry `index` of an array.
  mlir::Value address(llvm::StringRef symbol, mlir::Type element, int64_t index);
  /// An array or struct of the values.
  mlir::Value aggregate(mlir::Type type, llvm::ArrayRef<mlir::Value> values);

  mlir::LLVM::LLVMPointerType pointer() { return mlir::LLVM::LLVMPointerType::get(b.getContext()); }
  mlir::Type number() { return b.getI64Type(); }
  mlir::Type word() { return b.getI32Type(); }
  mlir::Type real() { return b.getF64Type(); }
  mlir::LLVM::LLVMStructType structOf(llvm::ArrayRef<mlir::Type> types) {
    return mlir::LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  }

private:
  mlir::Value constant(mlir::TypedAttr value);

  mlir::ImplicitLocOpBuilder b;
  mlir::ModuleOp module;
  std::string texts;
  llvm::StringMap<int64_t> offsets;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants; // of the current initializer
};

} // namespace stretto
