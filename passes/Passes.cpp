//===- Passes.cpp - registration ----------------------------------------------===//
#include "passes/Passes.h"

void stretto::passes::registerPasses() {
  registerAnalysisPasses();
  registerAutoDiffPasses();
  registerEntriesPasses();
  registerFusionPasses();
  registerLayersPasses();
  registerPrecisionPasses();
  registerSimplifyPasses();
}
