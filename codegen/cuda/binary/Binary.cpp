//===- Binary.cpp - kernels as the GPU runs them --------------------------===//
#include "codegen/cuda/binary/Binary.h"

#include "codegen/cuda/binary/Assemble.h"
#include "codegen/cuda/binary/Resources.h"
#include "codegen/cuda/binary/Serialize.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The PTX version of portable code: old enough for the drivers of CUDA 12.
static constexpr unsigned portablePtx = 80;

/// The attribute of a kernel that says how many of its blocks a multiprocessor must have registers for.
static constexpr StringLiteral residentBlocks = "nvvm.minctasm";

static void warnOfSpills(const KernelCost &cost) {
  StringRef name = nameOf(cost.kernel);
  LLVM::LLVMFuncOp kernel = cost.kernel;
  emitWarning(kernel.getLoc()) << "kernel '" << name << "' spills " << cost.spills
                               << " bytes of registers to local memory";
  remark::missed(kernel.getLoc(), remark::RemarkOpts::name("Registers").category("registers").function(name))
      << "spills " + std::to_string(cost.spills) + " bytes of registers to local memory"
      << remark::metric("spill_bytes", cost.spills) << remark::metric("registers", cost.registers);
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
    int64_t spills = std::max<int64_t>(0, of.local - arrays.lookup(kernel.getSymName()));
    costs.push_back({kernel, of.registers, spills, of.local, of.shared});
  }
  return costs;
}

/// Lets a kernel that spills have more registers: those of half as many blocks on a multiprocessor as it asks for, or,
/// where it asks for nothing, all that one block can have, as ptxas may keep it to a quarter of them. Returns whether
/// there are more.
static bool giveRegisters(const KernelCost &cost) {
  LLVM::LLVMFuncOp kernel = cost.kernel;
  auto blocks = kernel->getAttrOfType<IntegerAttr>(residentBlocks);
  if (cost.spills == 0 || kernel->hasAttr("nvvm.maxnreg") || (blocks && blocks.getInt() <= 1))
    return false;
  int64_t fewer = blocks ? blocks.getInt() / 2 : 1;
  kernel->setAttr(residentBlocks, IntegerAttr::get(IntegerType::get(kernel.getContext(), 32), fewer));
  return true;
}

/// Machine code of the chip alone, and what each kernel takes, once more registers would not help those that spill.
/// `meanwhile` runs beside ptxas, once more for each change of the kernels.
static FailureOr<DeviceCode> makeMachineCode(
    gpu::GPUModuleOp module, const Chip &chip, const Toolkit &toolkit, llvm::function_ref<void()> meanwhile = [] {}) {
  while (true) {
    auto ptx = writePtx(module, {chip, toolkit.ptx, toolkit.libdevice});
    if (failed(ptx))
      return failure();
    auto cubin = assemble(module, *ptx, chip, toolkit, meanwhile);
    if (failed(cubin))
      return failure();
    auto costs = readCosts(module, *cubin, *ptx);
    if (failed(costs))
      return failure();
    if (llvm::count_if(*costs, giveRegisters) > 0)
      continue;
    for (const KernelCost &cost : *costs)
      if (cost.spills > 0)
        warnOfSpills(cost);
    return DeviceCode{std::move(*cubin), "", std::nullopt, std::move(*costs)};
  }
}

FailureOr<SmallVector<KernelCost>> stretto::codegen::measureKernels(gpu::GPUModuleOp module, const Chip &chip,
                                                                    const Toolkit &toolkit) {
  auto code = makeMachineCode(module, chip, toolkit);
  if (failed(code))
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
    return emitError(module.getLoc()) << problem;
  return text;
}
