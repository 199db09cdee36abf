//===- ActivationType.h - the type of activations as a fact of the module ------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace stretto {

/// On a module: the type of its activations, where it is not that of its parameters.
inline constexpr llvm::StringLiteral activationTypeAttr = "seq.activation_type";

/// The type that activations are rounded to; null where they have the type of the parameters.
inline mlir::Type roundedActivationType(mlir::ModuleOp module) {
  auto attr = module->getAttrOfType<mlir::TypeAttr>(activationTypeAttr);
  return attr ? attr.getValue() : mlir::Type();
}

} // namespace stretto
