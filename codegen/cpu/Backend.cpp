//===- Backend.cpp - programs for the CPU ---------------------------------------===//
#include "codegen/cpu/Backend.h"

#include "codegen/cpu/Passes.h"
#include "codegen/cpu/StripLimits.h"
#include "codegen/rows/Passes.h"
#include "codegen/target/Target.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Whether LLVM's name of a processor is one of Intel's: it is neither of AMD's nor of those that name no maker.
static bool isOfIntel(StringRef cpu) {
  static constexpr StringLiteral others[] = {"generic", "x86-64", "znver",  "bdver",   "btver",
                                             "amdfam",  "k8",     "athlon", "opteron", "barcelona"};
  return llvm::none_of(others, [&](StringRef name) { return cpu.starts_with(name); });
}

/// Why matmuls have no epilogues by default; empty: they have.
static std::string whyApart(StringRef cpu) {
  auto target = Target::resolve(cpu, [](const llvm::Twine &) {}); // what is wrong with the name is told elsewhere
  if (failed(target) || !isOfIntel(target->cpu))
    return "";
  return "matmuls on processors of Intel (" + target->cpu + ") are MKL's, which is faster there than blocks of rows";
}

namespace {
class CpuBackend : public Backend {
public:
  StringRef name() const override { return "cpu"; }
  StringRef description() const override { return "the processor of this machine, or what --cpu names"; }
  ArrayRef<StringRef> types() const override {
    static constexpr StringRef list[] = {"f32", "f64"};
    return list;
  }
  int64_t headBytes() const override { return 4 << 20; } // they stay in its caches
  int64_t bucketBytes() const override { return 4 << 20; }
  passes::CostModel costModel() const override { return {}; }

  void addEpilogues(OpPassManager &passes, const BackendSettings &, StringRef cpu, bool wherePossible) const override {
    const EpilogueLimits limits = wherePossible ? cpuStrips.wherePossible() : cpuStrips;
    passes.addPass(createChooseEpilogues({{},
                                          limits.wantedColumns,
                                          limits.mostColumns,
                                          limits.leastRows,
                                          limits.leastStrips,
                                          limits.leastDepth,
                                          wherePossible ? "" : whyApart(cpu)}));
    passes.addPass(createFuseEpilogues());
  }

  void addSchedules(OpPassManager &passes, const BackendSettings &, StringRef cpu, StringRef overrides) const override {
    ChooseScheduleOptions options;
    options.cpu = cpu.str();
    options.overrides = overrides.str();
    passes.addPass(createChooseSchedule(options));
    passes.addPass(createPackWeights());
  }

  void addHostKernels(OpPassManager &passes, const BackendSettings &, StringRef cpu) const override {
    passes.addPass(createLowerKernels({cpu.str()}));
  }
};
} // namespace

const Backend &stretto::codegen::cpuBackend() {
  static const CpuBackend backend;
  return backend;
}
