//===- Pipelines.h - the order of passes --------------------------------------===//
#pragma once

namespace stretto {

/// Registers the passes of codegen/ by name.
void registerCodegenPasses();

} // namespace stretto
