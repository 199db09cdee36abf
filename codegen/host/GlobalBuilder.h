//===- GlobalBuilder.h - constants with pointers in them ----------------------===//
#pragma once

#include "codegen/host/AbiStruct.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

namespace stretto::codegen {

/// Makes globals of a module whose initial values are structs of numbers and addresses. All texts lie in one global.
class GlobalBuilder {
public:
  explicit GlobalBuilder(mlir::ModuleOp module);

  /// Makes a constant; its value is what `make` returns, with the builder inside of its initializer.
  void define(mlir::StringRef name, mlir::LLVM::Linkage linkage, llvm::function_ref<mlir::Value()> make);
  /// An array of `count` structs.
  template <typename Struct>
  void defineList(mlir::StringRef name, size_t count, llvm::function_ref<AbiStruct<Struct>(size_t)> make) {
    define(name, mlir::LLVM::Linkage::Internal,
           [&] { return list(count, [&](size_t i) { return aggregate(make(i)); }); });
  }
  void defineList(mlir::StringRef name, llvm::ArrayRef<int64_t> values);
  void defineList(mlir::StringRef name, llvm::ArrayRef<double> values);
  /// Writes the global that holds the texts; call it last.
  void finish();

  // For use inside of an initializer:
  /// A struct of the ABI, to be filled.
  template <typename Struct> AbiStruct<Struct> start() { return AbiStruct<Struct>(b.getContext()); }
  mlir::Value text(llvm::StringRef text);
  mlir::Value null();
  /// The address of a symbol, or of a byte behind it.
  mlir::Value address(llvm::StringRef symbol, size_t byte = 0);
  mlir::Value aggregate(const AbiFields &fields);

private:
  mlir::LLVM::LLVMPointerType pointer() { return mlir::LLVM::LLVMPointerType::get(b.getContext()); }
  mlir::Value constant(mlir::TypedAttr value);
  mlir::Value list(size_t count, llvm::function_ref<mlir::Value(size_t)> make);
  mlir::Value structOf(llvm::ArrayRef<mlir::Value> values);
  mlir::Value fill(mlir::Type type, llvm::ArrayRef<mlir::Value> values);

  mlir::ImplicitLocOpBuilder b;
  mlir::ModuleOp module;
  std::string texts;
  llvm::StringMap<int64_t> offsets;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants; // of the current initializer
};

} // namespace stretto::codegen
