//===- ControlFlowTest.cpp - loops of device code ------------------------===//
#include "codegen/cuda/ControlFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto::codegen;

namespace {
/// Two registers that hand on to two others, twice the same: one of each is read, whatever the order.
TEST(ControlFlow, NumbersThatBeginAndGoOnAlikeAreCarriedOnce) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, scf::SCFDialect>();
  CudaBuilder b(UnknownLoc::get(&context), &context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getLoc());
  b.setInsertionPointToStart(module->getBody());
  Value old = b.index(1), newer = b.index(2), other = b.index(3);
  Values left =
      forEach(b, b.index(0), b.index(8), 1, {old, newer, old, newer, other}, [&](Value i, ValueRange carried) {
        Value sum = b.add(b.add(carried[0], carried[2]), carried[4]);
        return Values{carried[1], i, carried[3], i, sum};
      });
  EXPECT_EQ(left[2], left[0]);
  EXPECT_EQ(left[3], left[1]);
  EXPECT_NE(left[4], left[0]);
  auto loop = left[0].getDefiningOp<scf::ForOp>();
  ASSERT_TRUE(loop && verify(loop).succeeded());
  EXPECT_TRUE(loop.getRegionIterArg(2).use_empty());
  EXPECT_TRUE(loop.getRegionIterArg(3).use_empty());
  EXPECT_FALSE(loop.getRegionIterArg(0).use_empty());
}
} // namespace
