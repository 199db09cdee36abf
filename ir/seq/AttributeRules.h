//===- AttributeRules.h - what attributes of the dialects must be -------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace stretto {

/// What the attribute of a name must be, in words and as a test.
struct AttributeRule {
  llvm::StringLiteral name, expected;
  bool (*holds)(mlir::Attribute);
};

inline bool isText(mlir::Attribute attribute) { return llvm::isa<mlir::StringAttr>(attribute); }

inline bool isCount(mlir::Attribute attribute) {
  auto number = llvm::dyn_cast<mlir::IntegerAttr>(attribute);
  return number && number.getType().isInteger(64) && number.getInt() >= 0;
}

template <typename Entry> bool isListOf(mlir::Attribute attribute) {
  auto list = llvm::dyn_cast<mlir::ArrayAttr>(attribute);
  return list && llvm::all_of(list, llvm::IsaPred<Entry>);
}

inline constexpr llvm::StringLiteral expectedText = "a string", expectedCount = "an i64 of at least 0";

/// Holds an attribute to the rule of its name, if there is one.
inline mlir::LogicalResult verifyAttribute(mlir::Operation *op, mlir::NamedAttribute attribute,
                                           llvm::ArrayRef<AttributeRule> rules) {
  for (const AttributeRule &rule : rules)
    if (attribute.getName() == rule.name && !rule.holds(attribute.getValue()))
      return op->emitOpError() << attribute.getName() << " must be " << rule.expected << ", but got "
                               << attribute.getValue();
  return mlir::success();
}

} // namespace stretto
