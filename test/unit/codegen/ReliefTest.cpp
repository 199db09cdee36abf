//===- ReliefTest.cpp - ways to make kernels that spill ---------------------===//
#include "codegen/cuda/binary/Relief.h"

#include "ir/kern/Attributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// For how many blocks there are registers in each way of a kernel that asks for `blocks` of `threads`, if each spills
/// less than the one before.
std::vector<int64_t> blocksTried(int64_t threads, int64_t blocks) {
  MLIRContext context;
  context.loadDialect<gpu::GPUDialect, LLVM::LLVMDialect>();
  auto module = parseSourceString<ModuleOp>(R"(gpu.module @kernels {
    llvm.func @starved() attributes {gpu.kernel, nvvm.kernel} { llvm.return }
  })",
                                            &context);
  auto kernels = *module->getOps<gpu::GPUModuleOp>().begin();
  auto kernel = *kernels.getOps<LLVM::LLVMFuncOp>().begin();
  Builder b(&context);
  kernel->setAttr(kern::blockAttr, b.getI64IntegerAttr(threads));
  if (blocks)
    kernel->setAttr("nvvm.minctasm", b.getI32IntegerAttr(blocks));
  std::vector<int64_t> tried;
  Relief relief(kernels);
  KernelCost cost{.kernel = kernel, .spills = 1000};
  do {
    auto now = kernel->getAttrOfType<IntegerAttr>("nvvm.minctasm");
    tried.push_back(now ? now.getInt() : 0);
    --cost.spills;
  } while (!relief.change(cost).empty());
  return tried;
}

TEST(Relief, BlocksBecomeFewerUntilThreadsHaveAllRegisters) {
  EXPECT_EQ(blocksTried(32, 16), (std::vector<int64_t>{16, 8}));
  EXPECT_EQ(blocksTried(128, 4), (std::vector<int64_t>{4, 3, 2}));
  EXPECT_EQ(blocksTried(192, 2), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(blocksTried(512, 1), (std::vector<int64_t>{1}));
  EXPECT_EQ(blocksTried(512, 0), (std::vector<int64_t>{0, 1}));
}
} // namespace
