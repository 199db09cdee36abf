//===- MadeFor.cpp - the target and the CPU that a module was made for ----------===//
#include "codegen/pipelines/MadeFor.h"

#include "ir/kern/Attributes.h"
#include "ir/seq/ActivationType.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

std::optional<MadeFor> stretto::codegen::madeFor(ModuleOp module) {
  auto attribute = module->getAttrOfType<StringAttr>(kern::targetAttr);
  if (!attribute)
    return std::nullopt;
  auto [target, suffix] = attribute.getValue().split('-');
  return MadeFor{target, !suffix.empty()};
}

std::string stretto::codegen::cpuOf(ModuleOp module) {
  auto made = module->getAttrOfType<StringAttr>(kern::cpuAttr);
  auto native = Target::resolve("native", [](const llvm::Twine &) {});
  return !made || (succeeded(native) && native->cpu == made.getValue()) ? "native" : made.str();
}

bool stretto::codegen::canGoOnFor(ModuleOp module, std::optional<Phase> phase, const Backend &backend) {
  std::optional<MadeFor> made = madeFor(module);
  if (!made)
    return true;
  if (phase >= Phase::fused)
    return made->target == backend.name();
  return !roundedActivationType(module) || llvm::is_contained(backend.types(), "bf16");
}

void stretto::codegen::describeTarget(ModuleOp module, const Backend &backend, const BackendSettings &settings,
                                      const Target &cpu) {
  Builder builder(module.getContext());
  module->setAttr(kern::targetAttr, builder.getStringAttr(backend.programTarget(settings)));
  module->setAttr(kern::cpuAttr, builder.getStringAttr(cpu.cpu));
  module->setAttr(kern::cpuFeaturesAttr, builder.getStringAttr(cpu.instructionSets));
  backend.describe(module, settings);
}
