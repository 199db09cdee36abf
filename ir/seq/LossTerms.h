//===- LossTerms.h - what the loss adds to the likelihood --------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace stretto {

/// On a module (an f64 each, finite and not negative): coefficients of the terms that the loss of a token has beside
/// its negative log-likelihood n. With z, the log-sum-exp of its logits, it is n + nll_square n^2 + z_loss z^2. A term
/// that is absent is not computed. What the training loss was made with stands on its operations that are marked as the
/// loss (`seq.loss`), too.
inline constexpr llvm::StringLiteral nllSquareAttr = "seq.nll_square", zLossAttr = "seq.z_loss";

/// Whether a number may be such a coefficient.
inline bool isCoefficient(const llvm::APFloat &number) {
  return number.isFinite() && (number.isZero() || !number.isNegative());
}

struct LossTerms {
  double nllSquare = 0, zLoss = 0;

  bool operator==(const LossTerms &) const = default;
};

/// The coefficients of a module or of an operation; 0 for a term that is absent.
inline LossTerms lossTermsOf(mlir::Operation *op) {
  auto number = [&](llvm::StringRef name) {
    auto attr = op->getAttrOfType<mlir::FloatAttr>(name);
    return attr ? attr.getValueAsDouble() : 0;
  };
  return {number(nllSquareAttr), number(zLossAttr)};
}

/// Says them there; a term whose coefficient is 0 is absent.
inline void setLossTerms(mlir::Operation *op, LossTerms terms) {
  mlir::Builder builder(op->getContext());
  for (auto [name, coefficient] : {std::pair(nllSquareAttr, terms.nllSquare), {zLossAttr, terms.zLoss}})
    if (coefficient != 0)
      op->setAttr(name, builder.getF64FloatAttr(coefficient));
}

} // namespace stretto
