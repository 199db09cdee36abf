//===- Pipelines.h - the order of passes --------------------------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace stretto {

/// Adds the dialects that code generation lowers to.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Registers the passes of codegen/ by name.
void registerCodegenPasses();

} // namespace stretto
