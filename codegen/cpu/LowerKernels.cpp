//===- LowerKernels.cpp - fused kernels become functions -----------------------===//
#include "codegen/cpu/KernelFunction.h"
#include "codegen/cpu/MathExpansion.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Kernels.h"
#include "passes/support/Requirements.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

LLVM::LLVMFuncOp stretto::codegen::makeKernelFunction(VectorBuilder &b, StringRef name) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, i64, i64, pointer});
  auto function = LLVM::LLVMFuncOp::create(b, name, type);
  b.setInsertionPointToEnd(function.addEntryBlock(b));
  return function;
}

Value stretto::codegen::bufferPointer(VectorBuilder &b, LLVM::LLVMFuncOp function, int64_t number) {
  Value buffers = function.getArgument(0);
  Type pointer = buffers.getType();
  return LLVM::LoadOp::create(b, pointer, b.address(buffers, pointer, number));
}

SmallVector<Value> stretto::codegen::bufferPointers(VectorBuilder &b, LLVM::LLVMFuncOp function, Operation *op) {
  SmallVector<Value> pointers;
  for (unsigned i = 0; i < op->getNumOperands() + op->getNumResults(); ++i)
    pointers.push_back(bufferPointer(b, function, i));
  return pointers;
}

/// The function of a kernel, in a module of its own until it is in the LLVM dialect.
static FailureOr<KernelInfo> buildKernel(Operation *op, ModuleOp kernels, const Target &target) {
  if (!kern::kernelNameOf(op))
    return op->emitOpError("needs a kernel name to become code");
  VectorBuilder b(op->getLoc(), op->getContext(), target.fusedMultiplyAdd, target.vectorMasks);
  b.setInsertionPointToEnd(kernels.getBody());
  if (auto rowwise = dyn_cast<kern::RowwiseOp>(op))
    return buildRowwiseKernel(b, rowwise);
  if (auto matmul = dyn_cast<kern::MatmulOp>(op))
    return buildMatmulKernel(b, matmul);
  if (auto pack = dyn_cast<kern::PackOp>(op))
    return buildPackKernel(b, pack);
  if (auto sum = dyn_cast<kern::SumPartialsOp>(op))
    return buildSumPartialsKernel(b, sum, target);
  return op->emitOpError("is a kernel that this target has no code for");
}

/// Branches, arithmetic and vectors go to the LLVM dialect in one conversion: the passes of MLIR, one for each dialect,
/// go over all kernels again and again, which takes as long as LLVM itself.
static LogicalResult convertToLLVM(ModuleOp kernels, const Target &target) {
  expandMath(kernels, target);
  MLIRContext *context = kernels.getContext();
  PassManager branches(context);
  branches.addPass(createSCFToControlFlowPass());
  branches.enableVerifier(false);
  if (failed(branches.run(kernels)))
    return failure();
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  populateMathToLLVMConversionPatterns(types, patterns, /*approximateLog1p=*/false, /*benefit=*/2); // rather than libm
  populateMathToLibmConversionPatterns(patterns); // takes vectors apart
  populateVectorToLLVMConversionPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget legal(*context);
  legal.addLegalOp<ModuleOp>();
  ConversionConfig config;
  config.allowPatternRollback = false;
  return applyFullConversion(kernels, legal, std::move(patterns), config);
}

/// Writes what a launch needs to know onto the functions, for the table of the program.
static void describe(ModuleOp module, ArrayRef<KernelInfo> kernels) {
  Builder b(module.getContext());
  for (const KernelInfo &info : kernels) {
    Operation *function = module.lookupSymbol(info.name);
    function->setAttr(kern::chunksAttr, b.getI64IntegerAttr(info.chunks));
    function->setAttr(kern::scratchBytesAttr, b.getI64IntegerAttr(info.scratchBytes));
    function->setAttr(kern::bytesMovedAttr, b.getI64IntegerAttr(info.bytesMoved));
    function->setAttr(kern::flopsAttr, b.getI64IntegerAttr(info.flops));
  }
}

LogicalResult stretto::codegen::lowerKernels(ModuleOp module, const Target &target,
                                             SmallVectorImpl<KernelInfo> &kernels) {
  module.getContext()->loadDialect<LLVM::LLVMDialect, scf::SCFDialect, vector::VectorDialect, cf::ControlFlowDialect>();
  OwningOpRef<ModuleOp> separate = ModuleOp::create(module.getLoc());
  llvm::StringMap<Operation *> named;
  auto result = module.walk([&](Operation *op) {
    if (!isa<kern::KernelOp>(op))
      return WalkResult::advance();
    FailureOr<KernelInfo> info = buildKernel(op, *separate, target);
    if (failed(info) || failed(passes::requireNewKernel(op, info->name, named)))
      return WalkResult::interrupt();
    kernels.push_back(*info);
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || failed(convertToLLVM(*separate, target)))
    return failure();
  // Declarations of functions of libm may be there already.
  for (Operation &op : llvm::make_early_inc_range(*separate->getBody())) {
    auto symbol = cast<SymbolOpInterface>(op);
    if (symbol.isDeclaration() && module.lookupSymbol(symbol.getNameAttr()))
      continue;
    op.moveBefore(module.getBody(), module.getBody()->end());
  }
  describe(module, kernels);
  return success();
}
