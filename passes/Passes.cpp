//===- Passes.cpp - registration ----------------------------------------------===//
#include "passes/Passes.h"

void stretto::registerPasses() {
  registerAnalysisPasses();
  registerAutoDiffPasses();
  registerBuildPasses();
  registerFusionPasses();
  registerPrecisionPasses();
  registerSimplifyPasses();
}
