//===- Refusal.cpp - errors about the user's model ------------------------===//
#include "passes/support/Refusal.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

/// What the metadata of such a diagnostic holds.
static constexpr llvm::StringLiteral mark("stretto.refusal");

InFlightDiagnostic stretto::passes::refuseModel(Operation *op) {
  InFlightDiagnostic error = emitError(op->getLoc()); // without the operation: it says nothing to a user
  error.getUnderlyingDiagnostic()->getMetadata().push_back(DiagnosticArgument(StringAttr::get(op->getContext(), mark)));
  return error;
}

bool stretto::passes::isRefusal(Diagnostic &diagnostic) {
  return llvm::any_of(diagnostic.getMetadata(), [](DiagnosticArgument &argument) {
    auto text = argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Attribute
                    ? dyn_cast<StringAttr>(argument.getAsAttribute())
                    : StringAttr();
    return text && text.getValue() == mark;
  });
}
