//===- Passes.h - every pass that is independent of the target ----------------===//
#pragma once

#include "passes/analysis/Passes.h"
#include "passes/autodiff/Passes.h"
#include "passes/entries/Passes.h"
#include "passes/fusion/Passes.h"
#include "passes/layers/Passes.h"
#include "passes/precision/Passes.h"
#include "passes/simplify/Passes.h"

namespace stretto::passes {
/// Makes the passes known to stretto-opt and to textual pipelines.
void registerPasses();
} // namespace stretto::passes
