//===- KernelFunction.cpp - the function of a kernel ----------------------------===//
#include "codegen/cuda/KernelFunction.h"

#include "codegen/cuda/LaunchRegisters.h"
#include "codegen/cuda/SharedMemory.h"
#include "codegen/memory/Views.h"
#include "ir/kern/Attributes.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

std::string stretto::codegen::kernelSymbol(StringRef kernel) {
  std::string symbol;
  for (char c : kernel)
    symbol += llvm::isAlnum(c) ? c : '_';
  return symbol;
}

KernelFunction::KernelFunction(CudaBuilder &b, gpu::GPUModuleOp kernels, Operation *op)
    : b(b), op(op), kernels(kernels) {
  MLIRContext *context = b.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
  SmallVector<Type> parameters(op->getNumOperands() + op->getNumResults(), pointer);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), parameters);
  StringAttr name = kern::kernelNameOf(op);
  b.setInsertionPointToEnd(kernels.getBody());
  function = LLVM::LLVMFuncOp::create(b, kernelSymbol(name), type);
  function->setAttr(kern::kernelAttr, name);
  b.setInsertionPointToEnd(function.addEntryBlock(b));
}

void KernelFunction::onlyRead(unsigned number) {
  function.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
  function.setArgAttr(number, LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
}

LLVM::GlobalOp KernelFunction::defineShared(const Twine &name, LLVM::Linkage linkage, int64_t bytes,
                                            int64_t alignment) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(function);
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes);
  return LLVM::GlobalOp::create(b, type, /*isConstant=*/false, linkage, name.str(), Attribute(), alignment,
                                static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
}

Value KernelFunction::shared(StringRef purpose, int64_t bytes) {
  std::string first = (function.getName() + "_" + purpose).str(), name = first;
  for (int64_t others = 1; kernels.lookupSymbol(name); ++others)
    name = first + "_" + std::to_string(others);
  LLVM::GlobalOp variable = defineShared(name, LLVM::Linkage::Internal, bytes, sharedAlignment);
  return LLVM::AddressOfOp::create(b, variable);
}

Value KernelFunction::scratch(int64_t bytes) {
  if (!scratchVariable)
    scratchVariable =
        defineShared(function.getName() + "_scratch", LLVM::Linkage::Internal, /*bytes=*/0, sharedAlignment);
  int64_t start = scratchTaken, had = cast<LLVM::LLVMArrayType>(scratchVariable.getGlobalType()).getNumElements();
  scratchTaken += llvm::alignTo(bytes, sharedAlignment);
  scratchVariable.setGlobalType(LLVM::LLVMArrayType::get(b.getI8Type(), std::max(had, scratchTaken)));
  return b.address(LLVM::AddressOfOp::create(b, scratchVariable), b.getI8Type(), start);
}

Value KernelFunction::dynamicShared(int64_t bytes) {
  function->setAttr(dynamicSharedAttr, b.getI64IntegerAttr(bytes));
  auto variable = kernels.lookupSymbol<LLVM::GlobalOp>(dynamicSharedName);
  if (!variable)
    variable = defineShared(dynamicSharedName, LLVM::Linkage::External, /*bytes=*/0, dynamicSharedAlignment);
  return LLVM::AddressOfOp::create(b, variable);
}

void KernelFunction::growDynamicShared(int64_t bytes) {
  function->setAttr(dynamicSharedAttr, b.getI64IntegerAttr(std::max(bytes, dynamicSharedOf(function))));
}

Value KernelFunction::tensorMap(kern::TensorMapAttr map) {
  tensorMaps.push_back(map);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  unsigned number = function.getNumArguments();
  SmallVector<Type> parameters(function.getArgumentTypes());
  parameters.push_back(pointer);
  function.setType(LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), parameters));
  Type bytes = LLVM::LLVMArrayType::get(b.getI8Type(), kern::TensorMapAttr::bytes);
  function.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
  function.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(kern::TensorMapAttr::alignment));
  function.setArgAttr(number, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
  return function.getBody().front().addArgument(pointer, function.getLoc());
}

void KernelFunction::finish(const CudaLaunch &launch) {
  LLVM::ReturnOp::create(b, ValueRange());
  SmallVector<int64_t> bytes;
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector<6>(op->getResults())))
    bytes.push_back(spanBytes(value));
  function->setAttr("gpu.kernel", b.getUnitAttr());
  function->setAttr("nvvm.kernel", b.getUnitAttr());
  function->setAttr("nvvm.reqntid", b.getDenseI32ArrayAttr({static_cast<int32_t>(launch.block), 1, 1}));
  if (launch.cluster > 1)
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(), b.getDenseI32ArrayAttr({launch.cluster, 1, 1}));
  if (launch.resident)
    function->setAttr("nvvm.minctasm", b.getI32IntegerAttr(launch.resident));
  if (launch.registers)
    function->setAttr(launchRegistersAttr, b.getI64IntegerAttr(launch.registers));
  function->setAttr(kern::gridAttr, b.getDenseI64ArrayAttr(launch.grid));
  function->setAttr(kern::blockAttr, b.getI64IntegerAttr(launch.block));
  function->setAttr(kern::bufferBytesAttr, b.getDenseI64ArrayAttr(bytes));
  function->setAttr(kern::bytesMovedAttr, b.getI64IntegerAttr(launch.bytes ? launch.bytes : llvm::sum_of(bytes)));
  function->setAttr(kern::flopsAttr, b.getI64IntegerAttr(launch.flops));
  if (!tensorMaps.empty())
    function->setAttr(kern::tensorMapsAttr, b.getArrayAttr(tensorMaps));
}
