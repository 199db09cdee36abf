//===- Backend.cpp - programs for the CPU ---------------------------------------===//
#include "codegen/cpu/Backend.h"

#include "codegen/cpu/Passes.h"
#include "codegen/cpu/StripLimits.h"
#include "codegen/rows/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

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

  void addEpilogues(OpPassManager &passes, bool wherePossible) const override {
    const EpilogueLimits limits = wherePossible ? cpuStrips.wherePossible() : cpuStrips;
    passes.addPass(createChooseEpilogues(
        {{}, limits.wantedColumns, limits.mostColumns, limits.leastRows, limits.leastStrips, limits.leastDepth}));
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
