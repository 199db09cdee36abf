//===- Target.cpp - resolve the name of a CPU ----------------------------------===//
#include "codegen/target/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace stretto;
using namespace stretto::codegen;

static const llvm::Target *hostTarget() {
  static const bool ready = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    return true;
  }();
  std::string error;
  return ready ? TargetRegistry::lookupTarget(Triple(sys::getDefaultTargetTriple()), error) : nullptr;
}

static std::string hostFeatures() {
  SmallVector<std::string> features;
  for (const auto &feature : sys::getHostCPUFeatures())
    features.push_back(std::string(1, feature.second ? '+' : '-').append(feature.first()));
  llvm::sort(features); // the map has no order of its own, the record must
  return join(features, ",");
}

/// The CPU whose name goes on as `name` begins, or is nearest to it; empty where half of it would have to change.
static StringRef nearestCpu(const MCSubtargetInfo &info, StringRef name) {
  constexpr size_t leastBeginning = 4; // letters that say which CPU is meant
  std::string text = name.lower();
  if (StringRef(text).starts_with("zen")) // as AMD writes it
    text.replace(0, 3, "znver");
  StringRef asked = text, best;
  unsigned distance = asked.size() / 2 + 1;
  auto consider = [&](StringRef known) {
    bool goesOn = asked.size() >= leastBeginning && known.starts_with(asked);
    unsigned d = goesOn ? 0 : asked.edit_distance(known);
    if (d < distance) {
      best = known;
      distance = d;
    }
  };
  consider("native");
  for (const SubtargetSubTypeKV &candidate : info.getAllProcessorDescriptions())
    consider(StringRef(candidate.Key));
  return best;
}

static std::string unknownCpu(const MCSubtargetInfo &info, StringRef name) {
  StringRef nearest = nearestCpu(info, name);
  std::string text = ("cpu must be native or a name that LLVM knows, but got '" + name + "'").str();
  return nearest.empty() ? text : (text + "; did you mean '" + nearest + "'?").str();
}

/// The enabled features that are instruction sets and not advice for scheduling.
static std::string enabledInstructionSets(const MCSubtargetInfo &info) {
  StringMap<bool> sets = sys::getHostCPUFeatures();
  SmallVector<StringRef> names;
  for (const SubtargetFeatureKV &feature : info.getEnabledProcessorFeatures())
    if (sets.contains(StringRef(feature.Key)))
      names.push_back(StringRef(feature.Key));
  llvm::sort(names);
  return join(names, ",");
}

static void readFeatures(stretto::codegen::Target &target, const MCSubtargetInfo &info) {
  Triple triple(target.triple);
  if (triple.isAArch64()) {
    target.vectorBits = 128;
    target.fusedMultiplyAdd = true;
    return;
  }
  auto has = [&](StringRef feature) { return info.checkFeatures(feature); };
  target.vectorBits = has("+avx512f,+avx512vl,+avx512dq,+avx512bw") ? 512 : has("+avx2") ? 256 : 128;
  target.fusedMultiplyAdd = has("+fma");
  target.vectorMasks = target.vectorBits == 512;
}

FailureOr<stretto::codegen::Target> stretto::codegen::Target::resolve(StringRef cpu,
                                                                      function_ref<void(const Twine &)> reportError) {
  const llvm::Target *llvmTarget = hostTarget();
  if (!llvmTarget) {
    reportError("no code generator for this machine: " + Twine(sys::getDefaultTargetTriple()));
    return failure();
  }
  Target target;
  target.triple = sys::getDefaultTargetTriple();
  target.cpu = cpu == "native" ? sys::getHostCPUName().str() : cpu.str();
  if (cpu == "native")
    target.features = hostFeatures();
  Triple triple(target.triple);
  std::unique_ptr<MCSubtargetInfo> generic(llvmTarget->createMCSubtargetInfo(triple, "", ""));
  if (!generic->isCPUStringValid(target.cpu)) {
    reportError(unknownCpu(*generic, cpu));
    return failure();
  }
  std::unique_ptr<MCSubtargetInfo> info(llvmTarget->createMCSubtargetInfo(triple, target.cpu, target.features));
  readFeatures(target, *info);
  target.instructionSets = enabledInstructionSets(*info);
  return target;
}

std::unique_ptr<TargetMachine> stretto::codegen::Target::createMachine() const {
  TargetOptions options;
  return std::unique_ptr<TargetMachine>(hostTarget()->createTargetMachine(
      Triple(triple), cpu, features, options, Reloc::PIC_, std::nullopt, CodeGenOptLevel::Aggressive));
}
