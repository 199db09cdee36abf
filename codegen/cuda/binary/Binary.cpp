//===- Binary.cpp - kernels as the GPU runs them --------------------------===//
#include "codegen/cuda/binary/Binary.h"

#include "codegen/cuda/LaunchRegisters.h"
#include "codegen/cuda/binary/Assemble.h"
#include "codegen/cuda/binary/Relief.h"
#include "codegen/cuda/binary/Resources.h"
#include "codegen/cuda/binary/Serialize.h"
#include "passes/support/Refusal.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The PTX version of portable code: old enough for the drivers of CUDA 12.
static constexpr unsigned portablePtx = 80;

static void remarkSpills(const KernelCost &cost) {
  LLVM::LLVMFuncOp kernel = cost.kernel;
  auto options = remark::RemarkOpts::name("Registers").category("registers").function(nameOf(kernel));
  remark::missed(kernel.getLoc(), options)
      << "spills " + std::to_string(cost.spills) + " bytes of registers to local memory"
      << remark::metric("spill_bytes", cost.spills) << remark::metric("registers", cost.registers);
}

/// Warns of the kernel of each place that spills most, as layers that are written out have one each; remarks tell of
/// all.
static void tellSpills(ArrayRef<KernelCost> costs) {
  llvm::MapVector<Location, SmallVector<const KernelCost *>> places;
  for (const KernelCost &cost : costs)
    if (cost.spills > 0)
      places[LLVM::LLVMFuncOp(cost.kernel).getLoc()].push_back(&cost);
  for (const auto &[place, kernels] : places) {
    const KernelCost &most =
        **llvm::max_element(kernels, [](const KernelCost *a, const KernelCost *b) { return a->spills < b->spills; });
    InFlightDiagnostic warning = emitWarning(place) << "kernel '" << nameOf(most.kernel) << "' spills " << most.spills
                                                    << " bytes of registers to local memory";
    if (kernels.size() > 1)
      warning << ", and " << kernels.size() - 1 << " more of this place spill no more than that";
    warning.report();
    for (const KernelCost *cost : kernels)
      remarkSpills(*cost);
  }
}

/// Spilled registers are what lies in local memory besides the arrays that the PTX declares there.
static FailureOr<SmallVector<KernelCost>> readCosts(gpu::GPUModuleOp module, const std::string &cubin, StringRef ptx) {
  auto resources = readResources(cubin);
  if (!resources)
    return emitError(module.getLoc()) << llvm::toString(resources.takeError());
  llvm::StringMap<int64_t> arrays = localArrays(ptx);
  SmallVector<KernelCost> costs;
  for (LLVM::LLVMFuncOp kernel : kernelsOf(module)) {
    auto found = resources->find(kernel.getSymName());
    if (found == resources->end() || found->second.registers == 0)
      return emitError(kernel.getLoc()) << "kernel '" << nameOf(kernel)
                                        << "' must be in the machine code with its registers";
    const Resources &of = found->second;
    if (auto wanted = kernel->getAttrOfType<IntegerAttr>(launchRegistersAttr); wanted && of.registers < wanted.getInt())
      return emitError(kernel.getLoc()) << "kernel '" << nameOf(kernel) << "' must be launched with " << wanted.getInt()
                                        << " registers of a thread, which its warps exchange, but ptxas gives it "
                                        << of.registers;
    int64_t spills = std::max<int64_t>(0, of.local - arrays.lookup(kernel.getSymName()));
    costs.push_back({kernel, of.registers, spills, of.local, of.shared});
  }
  return costs;
}

/// Machine code of the chip alone, and what its kernels take. `meanwhile` runs beside ptxas.
static FailureOr<DeviceCode> assembleKernels(gpu::GPUModuleOp module, const Chip &chip, const Toolkit &toolkit,
                                             llvm::function_ref<void()> meanwhile) {
  auto ptx = writePtx(module, {chip, toolkit.ptx, toolkit.libdevice});
  if (failed(ptx))
    return failure();
  auto cubin = assemble(module, *ptx, chip, toolkit, meanwhile);
  if (failed(cubin))
    return failure();
  auto costs = readCosts(module, *cubin, *ptx);
  if (failed(costs))
    return failure();
  return DeviceCode{std::move(*cubin), "", std::nullopt, std::move(*costs)};
}

/// What some kernels of a module take.
static FailureOr<SmallVector<KernelCost>> measureSome(gpu::GPUModuleOp module, ArrayRef<LLVM::LLVMFuncOp> some,
                                                      const Chip &chip, const Toolkit &toolkit) {
  OwningOpRef<gpu::GPUModuleOp> copy = module.clone();
  for (LLVM::LLVMFuncOp kernel : kernelsOf(*copy))
    if (llvm::none_of(some, [&](LLVM::LLVMFuncOp one) { return one.getSymName() == kernel.getSymName(); }))
      kernel.erase();
  auto code = assembleKernels(*copy, chip, toolkit, [] {});
  if (failed(code))
    return failure();
  for (KernelCost &cost : code->costs)
    cost.kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(cost.kernel.getSymName());
  return std::move(code->costs);
}

/// Makes kernels that spill in the best way that there is for them, and puts down what they take then. Returns whether
/// any has changed.
static FailureOr<bool> relieve(gpu::GPUModuleOp module, const Chip &chip, const Toolkit &toolkit,
                               MutableArrayRef<KernelCost> costs, Relief relief) {
  auto changed = relief.change(costs);
  bool hasChanged = !changed.empty();
  while (!changed.empty()) {
    auto some = measureSome(module, changed, chip, toolkit);
    if (failed(some))
      return failure();
    for (KernelCost &cost : costs)
      if (auto found = llvm::find_if(*some, [&](const KernelCost &one) { return one.kernel == cost.kernel; });
          found != some->end())
        cost = *found;
    changed = relief.change(*some);
  }
  relief.report();
  tellSpills(costs);
  return hasChanged;
}

/// Machine code of kernels that are made in their best ways. `meanwhile` runs once more where kernels have changed.
static FailureOr<DeviceCode> makeMachineCode(
    gpu::GPUModuleOp module, const Chip &chip, const Toolkit &toolkit, llvm::function_ref<void()> meanwhile = [] {}) {
  Relief relief(module);
  auto code = assembleKernels(module, chip, toolkit, meanwhile);
  if (failed(code))
    return failure();
  auto hasChanged = relieve(module, chip, toolkit, code->costs, std::move(relief));
  if (failed(hasChanged))
    return failure();
  return *hasChanged ? assembleKernels(module, chip, toolkit, meanwhile) : std::move(code);
}

FailureOr<SmallVector<KernelCost>> stretto::codegen::measureKernels(gpu::GPUModuleOp module, const Chip &chip,
                                                                    const Toolkit &toolkit) {
  Relief relief(module);
  auto code = assembleKernels(module, chip, toolkit, [] {});
  if (failed(code) || failed(relieve(module, chip, toolkit, code->costs, std::move(relief))))
    return failure();
  return std::move(code->costs);
}

FailureOr<DeviceCode> stretto::codegen::makeDeviceCode(gpu::GPUModuleOp module, const Chip &chip,
                                                       const Toolkit &toolkit) {
  std::optional<Chip> older = portableChip(module);
  FailureOr<std::string> portable = std::string();
  auto code = makeMachineCode(module, chip, toolkit, [&] {
    if (older && succeeded(portable))
      portable = writePtx(module, {*older, std::max(portablePtx, older->leastPtx), toolkit.libdevice});
  });
  if (failed(code) || failed(portable))
    return failure();
  code->portableChip = older;
  code->portable = std::move(*portable);
  return code;
}

FailureOr<std::string> stretto::codegen::printDeviceCode(gpu::GPUModuleOp module, const Chip &chip,
                                                         const Toolkit &toolkit, DeviceText kind) {
  if (kind == DeviceText::ptx)
    return writePtx(module, {chip, toolkit.ptx, toolkit.libdevice});
  auto code = makeMachineCode(module, chip, toolkit);
  if (failed(code))
    return failure();
  std::string text;
  if (std::string problem = disassemble(code->cubin, toolkit, text); !problem.empty())
    return passes::refuseModel(module) << problem;
  return text;
}
