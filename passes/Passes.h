//===- Passes.h - every pass that is independent of the target ----------------===//
#pragma once

#include "passes/Analysis/Passes.h"
#include "passes/AutoDiff/Passes.h"
#include "passes/Entries/Passes.h"
#include "passes/Fusion/Passes.h"
#include "passes/Layers/Passes.h"
#include "passes/Precision/Passes.h"
#include "passes/Simplify/Passes.h"

namespace stretto {
/// Makes the passes known to stretto-opt and to textual pipelines.
void registerPasses();
} // namespace stretto
