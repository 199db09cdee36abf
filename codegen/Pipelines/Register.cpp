//===- Register.cpp - passes and pipelines by name ----------------------------===//
#include "codegen/Pipelines/Pipelines.h"

#include "codegen/memory/Passes.h"

void stretto::registerCodegenPasses() { stretto::registerMemoryPasses(); }
