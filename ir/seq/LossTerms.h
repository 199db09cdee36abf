//===- LossTerms.h - what the loss adds to the likelihood, a fact of the module ---===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace stretto {

/// On a module (an f64 each, finite and not negative): coefficients of the terms that the loss of a token has beside
/// its negative log-likelihood n. With z, the log-sum-exp of its logits, it is n + nll_square n^2 + z_loss z^2. A term
/// that is absent is not computed.
inline constexpr llvm::StringLiteral nllSquareAttr = "seq.nll_square", zLossAttr = "seq.z_loss";

/// Whether a number may be such a coefficient.
inline bool isCoefficient(const llvm::APFloat &number) {
  return number.isFinite() && (number.isZero() || !number.isNegative());
}

struct LossTerms {
  double nllSquare = 0, zLoss = 0;
};

/// The coefficients of a module; 0 for a term that is absent.
inline LossTerms lossTermsOf(mlir::ModuleOp module) {
  auto number = [&](llvm::StringRef name) {
    auto attr = module->getAttrOfType<mlir::FloatAttr>(name);
    return attr ? attr.getValueAsDouble() : 0;
  };
  return {number(nllSquareAttr), number(zLossAttr)};
}

/// Says them on a module; a term whose coefficient is 0 is absent.
inline void setLossTerms(mlir::ModuleOp module, LossTerms terms) {
  mlir::Builder builder(module.getContext());
  for (auto [name, coefficient] : {std::pair(nllSquareAttr, terms.nllSquare), {zLossAttr, terms.zLoss}})
    if (coefficient != 0)
      module->setAttr(name, builder.getF64FloatAttr(coefficient));
}

} // namespace stretto
