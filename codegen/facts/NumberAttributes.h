//===- NumberAttributes.h - what of an operation is handed on to libraries ----===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <variant>

namespace stretto::codegen {

using NumberAttribute = std::variant<int64_t, llvm::APFloat, bool>;

/// Visits the attributes that an operation is defined with and that are numbers, or are there or not, with their names.
inline void forEachNumber(mlir::Operation *op,
                          llvm::function_ref<void(llvm::StringRef name, const NumberAttribute &value)> visit) {
  for (mlir::StringAttr name : op->getName().getAttributeNames()) {
    mlir::Attribute value = op->getAttr(name);
    if (auto integer = llvm::dyn_cast_or_null<mlir::IntegerAttr>(value))
      visit(name, integer.getInt());
    else if (auto real = llvm::dyn_cast_or_null<mlir::FloatAttr>(value))
      visit(name, real.getValue());
    else if (!value || llvm::isa<mlir::UnitAttr>(value))
      visit(name, value != nullptr);
  }
}

} // namespace stretto::codegen
