//===- Register.h - the dialects a Stretto module may hold --------------------===//
#pragma once

#include "ir/seq/BlockInliner.h"

#include "mlir/IR/DialectRegistry.h"

namespace stretto {
/// Adds `seq`, `kern`, the upstream dialects that models are made of (arith, func, math), and those of extensions.
void registerModelDialects(mlir::DialectRegistry &registry);

/// From now on `registerModelDialects` calls this, too.
void alsoRegister(void (*add)(mlir::DialectRegistry &registry));

/// Makes the dialect of an extension one that models may hold, from now on.
template <typename Dialect> void addModelDialect() {
  alsoRegister([](mlir::DialectRegistry &registry) {
    registry.insert<Dialect>();
    registry.addExtension(
        +[](mlir::MLIRContext *, Dialect *dialect) { dialect->template addInterface<seq::BlockInliner>(); });
  });
}
} // namespace stretto
