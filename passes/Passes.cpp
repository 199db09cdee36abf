//===- Passes.cpp - registration ----------------------------------------------===//
#include "passes/Passes.h"

void stretto::registerPasses() {
  registerAnalysisPasses();
  registerAutoDiffPasses();
  registerEntriesPasses();
  registerFusionPasses();
  registerLayersPasses();
  registerPrecisionPasses();
  registerSimplifyPasses();
}
