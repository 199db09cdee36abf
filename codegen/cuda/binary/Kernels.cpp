//===- Kernels.cpp - what a module of kernels asks of the GPU -------------===//
#include "codegen/cuda/binary/Kernels.h"

#include "codegen/cuda/Grid.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/cuda/binary/KernelTable.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Kernels.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMRequiresSMTraits.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

SmallVector<LLVM::LLVMFuncOp> stretto::codegen::kernelsOf(gpu::GPUModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      kernels.push_back(function);
  return kernels;
}

StringRef stretto::codegen::nameOf(LLVM::LLVMFuncOp kernel) {
  auto name = kernel->getAttrOfType<StringAttr>(kern::kernelAttr);
  return name ? name.getValue() : kernel.getSymName();
}

//===- what operations need ---------------------------------------------------===//

namespace {
/// What an operation needs: an architecture or a newer one, or one of some architectures alone.
struct Need {
  unsigned version = 0;
  bool thisOneOnly = false;
};
} // namespace

/// What NVVM operations (without their prefix) and intrinsics of like names need where MLIR's own interface does not
/// tell; by the start of the name, from the PTX manual's sections on each instruction.
static Need needOfName(StringRef name) {
  static constexpr struct {
    StringLiteral start;
    Need need;
  } table[] = {
      {"wgmma", {90, true}},
      {"setmaxregister", {90, true}},
      {"setmaxnreg", {90, true}},
      {"tcgen05", {100, true}},
      {"cp.async.bulk", {90}},
      {"cluster", {90}},
      {"elect.sync", {90}},
      {"stmatrix", {90}},
      {"fence.proxy", {90}},
      {"fence.sc.cluster", {90}},
      {"fence.mbarrier", {90}},
      {"mbarrier.try.wait", {90}},
      {"mbarrier.try_wait", {90}},
      {"mbarrier.arrive.expect_tx", {90}},
      {"griddepcontrol", {90}},
      {"prefetch.tensormap", {90}},
      {"mapa", {90}},
  };
  for (const auto &row : table)
    if (name.starts_with(row.start))
      return row.need;
  return {};
}

static Need needOf(Operation *op) {
  if (op->hasAttr(NVVM::NVVMDialect::getClusterDimAttrName()))
    return {90};
  if (auto needs = dyn_cast<NVVM::RequiresSMInterface>(op)) {
    NVVM::NVVMCheckSMVersion version = needs.getRequiredMinSMVersion();
    return {unsigned(*llvm::min_element(version.smVersionList)), version.archAccelerated};
  }
  StringRef name = op->getName().stripDialect();
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    name = call.getIntrin();
    name.consume_front("llvm.nvvm.");
  } else if (!isa<NVVM::NVVMDialect>(op->getDialect())) {
    return {};
  }
  return needOfName(name);
}

static bool fits(Operation *op, const Chip &chip) {
  Need need = needOf(op);
  if (!need.thisOneOnly)
    return chip.version >= need.version;
  if (auto needs = dyn_cast<NVVM::RequiresSMInterface>(op))
    return !chip.isPortable() && llvm::is_contained(needs.getRequiredMinSMVersion().smVersionList, int(chip.version));
  return !chip.isPortable() && chip.version == need.version;
}

std::optional<Chip> stretto::codegen::portableChip(gpu::GPUModuleOp module) {
  unsigned version = 0;
  WalkResult walk = module.walk([&](Operation *op) {
    Need need = needOf(op);
    version = std::max(version, need.version);
    return need.thisOneOnly || isa<LLVM::InlineAsmOp, NVVM::InlinePtxOp>(op) ? WalkResult::interrupt()
                                                                             : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return std::nullopt;
  for (const Chip &chip : Chip::all())
    if (chip.isPortable() && chip.version >= version)
      return chip;
  return std::nullopt;
}

//===- checks -----------------------------------------------------------------===//

/// "kernel 'name': " where the operation is in a kernel.
static std::string slotOf(Operation *op) {
  auto function = isa<LLVM::LLVMFuncOp>(op) ? cast<LLVM::LLVMFuncOp>(op) : op->getParentOfType<LLVM::LLVMFuncOp>();
  return function ? ("kernel '" + nameOf(function) + "': ").str() : "";
}

static LogicalResult checkOperation(Operation *op, const Chip &chip) {
  if (isa<gpu::DynamicSharedMemoryOp>(op))
    return emitError(op->getLoc()) << slotOf(op)
                                   << "dynamic shared memory would lie over the static one; declare an external "
                                   << "array without a size (llvm.mlir.global with addr_space = 3)";
  if (!isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
    return emitError(op->getLoc()) << slotOf(op)
                                   << "must hold operations of the dialects llvm and nvvm alone, but got '"
                                   << op->getName() << "'";
  if (fits(op, chip))
    return success();
  Need need = needOf(op);
  return emitError(op->getLoc()) << slotOf(op) << "'" << op->getName() << "' needs sm_" << need.version
                                 << (need.thisOneOnly ? "a" : " or newer") << ", but the chip is " << chip.name;
}

static LogicalResult checkAttributes(LLVM::LLVMFuncOp kernel) {
  auto grid = kernel->getAttrOfType<DenseI64ArrayAttr>(kern::gridAttr);
  auto block = kernel->getAttrOfType<IntegerAttr>(kern::blockAttr);
  for (StringRef number : {kern::bytesMovedAttr, kern::flopsAttr})
    if (!kernel->getAttrOfType<IntegerAttr>(number))
      return emitError(kernel.getLoc()) << slotOf(kernel) << "needs the number " << number;
  if (!kernel->getAttrOfType<StringAttr>(kern::kernelAttr) || !grid || grid.size() != 2 || !block)
    return emitError(kernel.getLoc()) << slotOf(kernel) << "needs " << kern::kernelAttr << ", " << kern::gridAttr
                                      << " = array<i64: X, Y> and " << kern::blockAttr;
  return checkGrid(kernel, grid);
}

/// Whether a parameter is a tensor map by value.
static bool takesTensorMap(LLVM::LLVMFuncOp kernel, unsigned parameter) {
  auto type = kernel.getArgAttrOfType<TypeAttr>(parameter, LLVM::LLVMDialect::getByValAttrName());
  return type && DataLayout::closest(kernel).getTypeSize(type.getValue()) == kern::TensorMapAttr::bytes &&
         kernel.getArgAttr(parameter, NVVM::NVVMDialect::getGridConstantAttrName());
}

static LogicalResult checkTensorMaps(LLVM::LLVMFuncOp kernel) {
  auto listed = kernel->getAttrOfType<ArrayAttr>(kern::tensorMapsAttr);
  size_t maps = listed ? listed.size() : 0, parameters = kernel.getNumArguments();
  size_t taken = llvm::count_if(llvm::seq<unsigned>(0, parameters),
                                [&](unsigned parameter) { return takesTensorMap(kernel, parameter); });
  bool areLast = taken == maps && llvm::all_of(llvm::seq<unsigned>(parameters - taken, parameters),
                                               [&](unsigned last) { return takesTensorMap(kernel, last); });
  if (!areLast)
    return emitError(kernel.getLoc()) << slotOf(kernel) << "must take each of its " << maps << " "
                                      << kern::tensorMapsAttr << " by value behind its buffers, "
                                      << kern::TensorMapAttr::bytes << " bytes with "
                                      << NVVM::NVVMDialect::getGridConstantAttrName() << ", but " << taken
                                      << " parameters are such";
  for (Attribute map : listed ? listed.getValue() : ArrayRef<Attribute>())
    if (auto of = dyn_cast<kern::TensorMapAttr>(map); !of || static_cast<size_t>(of.getBuffer()) >= parameters - maps)
      return emitError(kernel.getLoc()) << slotOf(kernel) << "a tensor map must be of one of the " << parameters - maps
                                        << " buffers, but got " << map;
  return success();
}

/// The bytes that a global takes.
static int64_t bytesOf(LLVM::GlobalOp global) {
  return DataLayout::closest(global).getTypeSize(global.getGlobalType());
}

/// The shared arrays that a kernel uses, itself or in functions that it calls.
static SetVector<LLVM::GlobalOp> sharedOf(LLVM::LLVMFuncOp kernel) {
  auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
  SetVector<LLVM::GlobalOp> arrays;
  SetVector<LLVM::LLVMFuncOp> functions;
  functions.insert(kernel);
  for (size_t i = 0; i < functions.size(); ++i)
    LLVM::LLVMFuncOp(functions[i]).walk([&](Operation *op) {
      if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
        if (auto global = module.lookupSymbol<LLVM::GlobalOp>(address.getGlobalName());
            global && global.getAddrSpace() == 3)
          arrays.insert(global);
      if (auto call = dyn_cast<LLVM::CallOp>(op); call && call.getCallee())
        if (auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(*call.getCallee()))
          functions.insert(callee);
    });
  return arrays;
}

static LogicalResult checkShared(LLVM::LLVMFuncOp kernel, const Chip &chip) {
  int64_t bytes = 0, dynamic = dynamicSharedOf(kernel), most = Multiprocessor::of(chip).sharedOfBlock();
  bool usesDynamic = false;
  for (LLVM::GlobalOp array : sharedOf(kernel)) {
    usesDynamic |= isDynamicShared(array);
    bytes = llvm::alignTo(bytes, array.getAlignment().value_or(16)) + bytesOf(array);
  }
  if (bytes > mostStaticShared)
    return emitError(kernel.getLoc()) << slotOf(kernel) << "may hold at most " << mostStaticShared
                                      << " bytes of static shared memory, but got " << bytes;
  if (dynamic < 0 || (usesDynamic && dynamic == 0))
    return emitError(kernel.getLoc()) << slotOf(kernel) << "needs " << dynamicSharedAttr
                                      << ", the bytes of its dynamic shared memory, but got " << dynamic;
  if (bytes + dynamic > most)
    return emitError(kernel.getLoc()) << slotOf(kernel) << "may hold at most " << most << " bytes of shared memory on "
                                      << chip.name << ", but got " << bytes << " static and " << dynamic
                                      << " dynamic ones";
  return success();
}

static LogicalResult checkSharedArray(LLVM::GlobalOp array) {
  bool isStatic = bytesOf(array) > 0 && array.getLinkage() != LLVM::Linkage::External;
  if (array.getAddrSpace() != 3 || isStatic || isDynamicShared(array))
    return success();
  return emitError(array.getLoc()) << "an array in shared memory must have a size and internal linkage, or be external "
                                   << "and have none, but '" << array.getSymName() << "' is neither";
}

LogicalResult stretto::codegen::checkKernels(gpu::GPUModuleOp module, const Chip &chip) {
  WalkResult walk = module.walk([&](Operation *op) {
    return op == module || succeeded(checkOperation(op, chip)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (failed(checkSharedArray(global)))
      return failure();
  for (LLVM::LLVMFuncOp kernel : kernelsOf(module))
    if (failed(checkAttributes(kernel)) || failed(checkTensorMaps(kernel)) || failed(checkShared(kernel, chip)))
      return failure();
  return success();
}
