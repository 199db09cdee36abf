//===- Optimize.cpp - which of LLVM's passes kernels go through -----------------===//
#include "codegen/target/Optimize.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

static FunctionPassManager simplifyFunctions() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager loops;
  loops.addPass(LoopRotatePass());
  loops.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops), /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  return passes;
}

/// Equal functions become one in front of all other passes: none sees the second of them.
static ModulePassManager buildPasses(bool checkAddresses) {
  ModulePassManager passes;
  passes.addPass(MergeFunctionsPass());
  passes.addPass(createModuleToFunctionPassAdaptor(simplifyFunctions()));
  if (checkAddresses) {
    AddressSanitizerOptions options;
    options.UseAfterReturn = AsanDetectStackUseAfterReturnMode::Never; // emulated threads switch between stacks
    passes.addPass(AddressSanitizerPass(options));
  }
  return passes;
}

void stretto::codegen::optimize(Module &module, TargetMachine &machine, bool checkAddresses) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  buildPasses(checkAddresses).run(module, modules);
}

/// Strength reduction of loops takes a fifth of the code generator's time to find the addresses that are there.
bool stretto::codegen::UselessPasses::shouldRunPass(StringRef pass, StringRef) const {
  return pass != "Loop Strength Reduction";
}
