//===- EmulateKernels.cpp - CUDA kernels become calls of the emulator ------------===//
#include "codegen/cuda/Grid.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/emulator/Emulation.h"
#include "codegen/emulator/Passes.h"
#include "codegen/host/GlobalBuilder.h"
#include "codegen/host/TensorMaps.h"
#include "ir/kern/Attributes.h"
#include "ir/seq/TensorBytes.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_EMULATECUDAKERNELS
#include "codegen/emulator/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// What a kernel states about its launch.
struct LaunchFacts {
  StringRef name;
  int64_t gridX, gridY, block, cluster, dynamicShared;
  ArrayRef<int64_t> bufferBytes;
  llvm::BitVector readOnly; // buffers
  SmallVector<kern::TensorMapAttr> maps;
};

struct EmulateKernelsPass : stretto::codegen::impl::EmulateCudaKernelsBase<EmulateKernelsPass> {
  void runOnOperation() final;
};

/// Takes one gpu.module apart.
class ModuleRewriter {
public:
  ModuleRewriter(ModuleOp module, gpu::GPUModuleOp kernels)
      : module(module), kernels(kernels), emulation(module, kernels), tables(module) {}
  LogicalResult run();

private:
  LogicalResult rewriteKernel(LLVM::LLVMFuncOp kernel);
  void readBuffers(LLVM::LLVMFuncOp kernel);
  void describeLaunch(const LaunchFacts &launch, const KernelFacts &facts);
  void makeEntry(LLVM::LLVMFuncOp kernel, const LaunchFacts &launch);

  ModuleOp module;
  gpu::GPUModuleOp kernels;
  Emulation emulation;
  GlobalBuilder tables;
  KernelFacts common; // of the functions that kernels call
};
} // namespace

static bool isKernel(LLVM::LLVMFuncOp function) { return function->hasAttr("nvvm.kernel"); }

/// Those which are only read, and lie where nobody writes.
static llvm::BitVector readOnlyBuffers(LLVM::LLVMFuncOp kernel) {
  llvm::BitVector result(kernel.getNumArguments());
  for (unsigned i = 0; i < result.size(); ++i)
    if (kernel.getArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName()) &&
        kernel.getArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName()))
      result.set(i);
  return result;
}

/// The tensor maps that a kernel takes by value behind its buffers.
static FailureOr<SmallVector<kern::TensorMapAttr>> readMaps(LLVM::LLVMFuncOp kernel, ArrayRef<int64_t> bufferBytes) {
  SmallVector<kern::TensorMapAttr> maps;
  auto list = kernel->getAttrOfType<ArrayAttr>(kern::tensorMapsAttr);
  for (Attribute each : list ? list.getValue() : ArrayRef<Attribute>()) {
    auto map = dyn_cast<kern::TensorMapAttr>(each);
    if (!map)
      return kernel.emitOpError("kern.tensor_maps must be #kern.tensor_map, but got ") << each;
    if (failed(checkTensorMap(kernel, map, bufferBytes)))
      return failure();
    int64_t row = map.getBox().back() * elementBytes(map.getElement());
    if (map.getSwizzle() && row != map.getSwizzle())
      return kernel.emitOpError("rows of a box must fill their swizzle to be emulated, but got ") << map;
    maps.push_back(map);
  }
  if (maps.size() > kernel.getNumArguments())
    return kernel.emitOpError("must take ")
           << maps.size() << " tensor maps, but has " << kernel.getNumArguments() << " parameters";
  for (unsigned i = kernel.getNumArguments() - maps.size(); i < kernel.getNumArguments(); ++i)
    if (!kernel.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()))
      return kernel.emitOpError("must take its tensor maps by value behind its buffers, but parameter ")
             << i << " is not";
  return maps;
}

static FailureOr<LaunchFacts> readLaunch(LLVM::LLVMFuncOp kernel) {
  auto name = kernel->getAttrOfType<StringAttr>("kern.kernel");
  auto grid = kernel->getAttrOfType<DenseI64ArrayAttr>(kern::gridAttr);
  auto block = kernel->getAttrOfType<IntegerAttr>(kern::blockAttr);
  auto bytes = kernel->getAttrOfType<DenseI64ArrayAttr>(kern::bufferBytesAttr);
  if (!name || !grid || grid.size() != 2 || !block || !bytes)
    return kernel.emitOpError(
        "must say kern.kernel, kern.grid (two numbers), kern.block and kern.buffer_bytes to be emulated");
  if (block.getInt() < 32 || block.getInt() > 1024 || block.getInt() % 32)
    return kernel.emitOpError("kern.block must be a multiple of 32 up to 1024, but got ") << block.getInt();
  int64_t dynamicShared = dynamicSharedOf(kernel);
  if (dynamicShared < 0 || dynamicShared > mostShared)
    return kernel.emitOpError() << dynamicSharedAttr << " must be 0 to " << mostShared << ", but got " << dynamicShared;
  FailureOr<SmallVector<kern::TensorMapAttr>> maps = readMaps(kernel, bytes.asArrayRef());
  if (failed(maps) || failed(checkGrid(kernel, grid)))
    return failure();
  const size_t buffers = kernel.getNumArguments() - maps->size();
  if (static_cast<size_t>(bytes.size()) != buffers)
    return kernel.emitOpError("must say the bytes of ") << buffers << " buffers, but got " << bytes.size();
  for (Type type : kernel.getArgumentTypes().take_front(buffers))
    if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type); !pointer || pointer.getAddressSpace() != 1)
      return kernel.emitOpError("must take pointers to global memory alone to be emulated, but got ") << type;
  return LaunchFacts{name.getValue(),
                     grid[0],
                     grid[1],
                     block.getInt(),
                     clusterBlocksOf(kernel),
                     dynamicShared,
                     bytes.asArrayRef(),
                     readOnlyBuffers(kernel),
                     *maps};
}

/// Nothing that is meant for the GPU stays with the function.
static void makePlain(LLVM::LLVMFuncOp function, const Twine &name) {
  for (NamedAttribute attribute : llvm::to_vector(function->getDiscardableAttrs()))
    function->removeDiscardableAttr(attribute.getName());
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
  function.setName(name.str());
  function.setLinkage(LLVM::Linkage::Internal);
  Type result = function.getFunctionType().getReturnType();
  function.setFunctionType(LLVM::LLVMFunctionType::get(result, llvm::to_vector(function.front().getArgumentTypes())));
}

/// The thread function takes the addresses of all buffers and tensor maps as one array.
void ModuleRewriter::readBuffers(LLVM::LLVMFuncOp kernel) {
  Block &entry = kernel.front();
  auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(), &entry);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value buffers = entry.addArgument(pointer, kernel.getLoc());
  for (int32_t i = 0; entry.getNumArguments() > 2; ++i) {
    Value place = LLVM::GEPOp::create(b, pointer, pointer, buffers, ArrayRef<LLVM::GEPArg>{i});
    entry.getArgument(1).replaceAllUsesWith(LLVM::LoadOp::create(b, pointer, place));
    entry.eraseArgument(1);
  }
}

void ModuleRewriter::describeLaunch(const LaunchFacts &launch, const KernelFacts &facts) {
  std::string name = launch.name.str();
  using Buffer = stretto_emulated_buffer;
  tables.defineList<Buffer>(name + ".buffers", launch.bufferBytes.size(), [&](size_t i) {
    return tables.start<Buffer>()
        .set(&Buffer::bytes, launch.bufferBytes[i])
        .set(&Buffer::uses, (facts.writesAny || facts.written[i] ? STRETTO_EMULATED_WRITTEN : 0) |
                                (launch.readOnly[i] ? STRETTO_EMULATED_READ_ONLY : 0));
  });
  tables.defineList<stretto_tensor_map>(name + ".maps", launch.maps.size(),
                                        [&](size_t i) { return describeTensorMap(launch.maps[i]); });
  using Kernel = stretto_emulated_kernel;
  tables.define(name + ".launch", LLVM::Linkage::Internal, [&] {
    return tables.aggregate(tables.start<Kernel>()
                                .set(&Kernel::texts, tables.address(emulatorTexts))
                                .set(&Kernel::name, emulation.text(name))
                                .set(&Kernel::function, tables.address(name + ".thread"))
                                .set(&Kernel::grid_x, launch.gridX)
                                .set(&Kernel::grid_y, launch.gridY)
                                .set(&Kernel::block, launch.block)
                                .set(&Kernel::cluster, launch.cluster)
                                .set(&Kernel::shared_bytes, facts.sharedBytes())
                                .set(&Kernel::shared_alignment, facts.sharedAlignment)
                                .set(&Kernel::buffer_count, launch.bufferBytes.size())
                                .set(&Kernel::buffers, tables.address(name + ".buffers"))
                                .set(&Kernel::waits, facts.waits)
                                .set(&Kernel::granule, facts.granule)
                                .set(&Kernel::map_count, launch.maps.size())
                                .set(&Kernel::maps, tables.address(name + ".maps"))
                                .set(&Kernel::partial, facts.partial));
  });
}

void ModuleRewriter::makeEntry(LLVM::LLVMFuncOp kernel, const LaunchFacts &launch) {
  auto b = ImplicitLocOpBuilder::atBlockEnd(kernel.getLoc(), module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), number = b.getI64Type(),
       none = LLVM::LLVMVoidType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(none, {pointer, number, number, pointer});
  auto entry = LLVM::LLVMFuncOp::create(b, launch.name, type);
  entry->setAttr(kern::chunksAttr, b.getI64IntegerAttr(launch.gridX * launch.gridY / launch.cluster));
  entry->setAttr(kern::scratchBytesAttr, b.getI64IntegerAttr(0));
  for (StringRef fact : {kern::bytesMovedAttr, kern::flopsAttr})
    if (Attribute value = kernel->getAttr(fact))
      entry->setAttr(fact, value);
  auto emulate = emulation.declare("stretto_emulate", none, {pointer, pointer, number, number});
  b.setInsertionPointToEnd(entry.addEntryBlock(b));
  Value description = LLVM::AddressOfOp::create(b, pointer, (launch.name + ".launch").str());
  LLVM::CallOp::create(b, emulate,
                       ValueRange{description, entry.getArgument(0), entry.getArgument(1), entry.getArgument(2)});
  LLVM::ReturnOp::create(b, ValueRange());
}

LogicalResult ModuleRewriter::rewriteKernel(LLVM::LLVMFuncOp kernel) {
  FailureOr<LaunchFacts> launch = readLaunch(kernel);
  if (failed(launch))
    return failure();
  if (Operation *other = module.lookupSymbol(launch->name)) {
    InFlightDiagnostic error = kernel.emitOpError("kernel name must be unique, but the module has another '")
                               << launch->name << "'";
    error.attachNote(other->getLoc()) << "the other one";
    return error;
  }
  KernelFacts facts = common;
  facts.written.clear();
  facts.dynamicShared = launch->dynamicShared;
  if (failed(emulation.rewrite(kernel, facts)))
    return failure();
  readBuffers(kernel);
  kernel->moveBefore(module.getBody(), module.getBody()->end());
  makeEntry(kernel, *launch);
  describeLaunch(*launch, facts);
  makePlain(kernel, launch->name + ".thread");
  return success();
}

LogicalResult ModuleRewriter::run() {
  SmallVector<LLVM::LLVMFuncOp> functions, entries;
  for (auto function : kernels.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      (isKernel(function) ? entries : functions).push_back(function);
  bool isWell = true;
  for (LLVM::LLVMFuncOp function : functions)
    isWell &= succeeded(emulation.rewrite(function, common));
  for (LLVM::LLVMFuncOp kernel : entries)
    isWell &= succeeded(rewriteKernel(kernel));
  if (!isWell)
    return failure();
  for (LLVM::LLVMFuncOp function : functions) {
    makePlain(function, function.getName() + ".device");
    function->moveBefore(module.getBody(), module.getBody()->end());
  }
  emulation.finish();
  kernels.erase();
  return success();
}

void EmulateKernelsPass::runOnOperation() {
  auto modules = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
  if (modules.size() > 1)
    modules[1].emitOpError("must be the only one of the program to be emulated");
  if (modules.size() > 1 || (modules.size() == 1 && failed(ModuleRewriter(getOperation(), modules[0]).run())))
    signalPassFailure();
}
