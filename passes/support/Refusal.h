//===- Refusal.h - errors about the user's model ------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace stretto::passes {

/// An error at an operation of what the user's model cannot do, or this machine. All other errors of passes mean that
/// the compiler is wrong, and a user is asked to report them.
mlir::InFlightDiagnostic refuseModel(mlir::Operation *op);

/// Whether a diagnostic is one of refuseModel.
bool isRefusal(mlir::Diagnostic &diagnostic);

} // namespace stretto::passes
