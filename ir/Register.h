//===- Register.h - the dialects a Stretto module may hold --------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace stretto {
/// Adds `seq`, `kern` and the upstream dialects that models are made of (arith, func, math).
void registerModelDialects(mlir::DialectRegistry &registry);
} // namespace stretto
