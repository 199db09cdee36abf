//===- EmbedBinaries.cpp - kernels become machine code in the program ----------===//
#include "codegen/cuda/Grid.h"
#include "codegen/cuda/binary/Binary.h"
#include "codegen/cuda/binary/Passes.h"
#include "ir/kern/Attributes.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_EMBEDCUDABINARIES
#include "codegen/cuda/binary/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
struct EmbedBinariesPass : stretto::codegen::impl::EmbedCudaBinariesBase<EmbedBinariesPass> {
  using EmbedCudaBinariesBase::EmbedCudaBinariesBase;

  void runOnOperation() final {
    ModuleOp module = getOperation();
    auto report = [&](const llvm::Twine &message) { emitError(module.getLoc()) << message; };
    SmallVector<gpu::GPUModuleOp> parts(module.getOps<gpu::GPUModuleOp>());
    if (parts.empty())
      return;
    auto wanted = Chip::resolve(chip, report);
    if (failed(wanted) ||
        llvm::any_of(parts, [&](gpu::GPUModuleOp part) { return failed(checkKernels(part, *wanted)); }))
      return signalPassFailure();
    auto toolkit = Toolkit::find(cudaPath, *wanted, report);
    if (failed(toolkit))
      return signalPassFailure();
    SmallVector<Attribute> images;
    for (gpu::GPUModuleOp part : parts)
      if (failed(embed(part, *wanted, *toolkit, images)))
        return signalPassFailure();
    module->setAttr(kern::imagesAttr, ArrayAttr::get(&getContext(), images));
  }

private:
  LogicalResult embed(gpu::GPUModuleOp part, const Chip &wanted, const Toolkit &toolkit,
                      SmallVector<Attribute> &images) {
    auto code = makeDeviceCode(part, wanted, toolkit);
    if (failed(code))
      return failure();
    OpBuilder builder(part);
    addImage(builder, part.getLoc(), code->cubin, kern::ImageKind::cubin, wanted.name, images);
    if (code->portableChip) { // the driver reads PTX up to a byte 0
      StringRef text(code->portable.c_str(), code->portable.size() + 1);
      addImage(builder, part.getLoc(), text, kern::ImageKind::ptx, code->portableChip->virtualName(), images);
    }
    for (const KernelCost &cost : code->costs)
      addKernel(builder, cost);
    part.erase();
    return success();
  }

  void addImage(OpBuilder &builder, Location loc, StringRef bytes, kern::ImageKind kind, StringRef architecture,
                SmallVector<Attribute> &images) {
    std::string name = "stretto.image." + std::to_string(images.size());
    constexpr uint64_t alignment = 64;
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                           builder.getStringAttr(bytes), alignment);
    auto symbol = FlatSymbolRefAttr::get(builder.getContext(), name);
    images.push_back(kern::ImageAttr::get(builder.getContext(), symbol, kind, builder.getStringAttr(architecture)));
  }

  void addKernel(OpBuilder &builder, const KernelCost &cost) {
    LLVM::LLVMFuncOp kernel = cost.kernel;
    auto number = [&](StringRef name) { return kernel->getAttrOfType<IntegerAttr>(name).getInt(); };
    auto grid = kernel->getAttrOfType<DenseI64ArrayAttr>(kern::gridAttr);
    kern::DeviceKernelOp::create(builder, kernel.getLoc(), nameOf(kernel), kernel.getSymName(), grid,
                                 number(kern::blockAttr), clusterBlocksOf(kernel), cost.shared, dynamicSharedOf(kernel),
                                 cost.registers, cost.spills, cost.local, number(kern::bytesMovedAttr),
                                 number(kern::flopsAttr), kernel->getAttrOfType<ArrayAttr>(kern::tensorMapsAttr));
  }
};
} // namespace
