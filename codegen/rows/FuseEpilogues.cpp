//===- FuseEpilogues.cpp - matmuls and their epilogues become one -------------===//
#include "codegen/rows/Epilogues.h"
#include "codegen/rows/Passes.h"

#include "ir/seq/Marks.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

#include <map>

namespace stretto::codegen {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "codegen/rows/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
struct Site {
  Operation *matmul = nullptr;
  kern::RowwiseOp kernel;
};
} // namespace

/// Argument 0 becomes the row of the matmul, in place of the argument that was; returns what that was. Sums of bf16 are
/// f32: the body rounds them, so that it sees what the kernel saw, and what is stored.
static Value moveArgument(Region &body, unsigned argument) {
  Block &block = body.front();
  Value before = block.getArgument(argument);
  auto type = cast<RankedTensorType>(before.getType());
  OpBuilder b(before.getContext());
  b.setInsertionPointToStart(&block);
  bool isRounded = type.getElementType().isBF16();
  Value row = block.insertArgument(0u, isRounded ? type.clone(b.getF32Type()) : type, before.getLoc());
  if (isRounded)
    row = arith::TruncFOp::create(b, before.getLoc(), type, row);
  before.replaceAllUsesWith(row);
  block.eraseArgument(argument + 1);
  return row;
}

/// The result of the kernel that is the row of the matmul, stored as it is; added to what the body yields if need be.
static unsigned resultOfRow(Block &block, Value row) {
  Operation *yield = block.getTerminator();
  auto known = llvm::find(yield->getOperands(), row);
  if (known == yield->operand_end())
    yield->insertOperands(yield->getNumOperands(), row);
  return std::distance(yield->operand_begin(), llvm::find(yield->getOperands(), row));
}

static std::string nameOfMatmul(StringRef kernel) {
  auto [function, number] = kernel.rsplit(".rowwise");
  return number.empty() ? (kernel + ".matmul").str() : (function + ".matmul" + number).str();
}

FusedMatmul stretto::codegen::fuseMatmul(Operation *matmul, kern::RowwiseOp kernel, unsigned argument) {
  Value product = matmul->getResult(0);
  OpBuilder b(kernel);
  SmallVector<Value> inputs(kernel.getInputs());
  SmallVector<Attribute> maps(kernel.getMaps().getValue());
  inputs.erase(inputs.begin() + argument);
  maps.erase(maps.begin() + argument);
  Region body;
  IRMapping mapping;
  kernel.getBody().cloneInto(&body, mapping);
  Value inBody = moveArgument(body, argument);
  SmallVector<Type> types(kernel.getResultTypes());
  bool isReadElsewhere = llvm::any_of(product.getUsers(), [&](Operation *user) { return user != kernel; });
  std::optional<unsigned> row;
  if (isReadElsewhere && (row = resultOfRow(body.front(), inBody)) == types.size())
    types.push_back(product.getType());
  auto name = b.getStringAttr(nameOfMatmul(kernel.getKernel().value_or("kernel")));
  auto loc = FusedLoc::get(b.getContext(), {matmul->getLoc(), kernel.getLoc()});
  auto fused = kern::MatmulOp::create(b, loc, types, matmul->getOperand(0), matmul->getOperand(1),
                                      *weightFormOf(matmul), inputs, b.getArrayAttr(maps),
                                      /*gradient=*/!isa<seq::LinearOp>(matmul) || matmul->hasAttr(kRepeatedAttr),
                                      /*partial_sums=*/false, name, kern::Schedule(), kern::ResourcesAttr());
  fused.getBody().takeBody(body);
  return {fused, row};
}

static LogicalResult fuse(const Site &site) {
  kern::RowwiseOp kernel = site.kernel;
  std::optional<unsigned> argument = rowArgumentOf(kernel, site.matmul->getResult(0));
  if (!argument)
    return kernel.emitOpError() << "must read the rows of the matmul with its number of kern.epilogue, once";
  FusedMatmul fused = fuseMatmul(site.matmul, kernel, *argument);
  for (auto [result, before] : llvm::zip(fused.op.getResults(), kernel.getResults()))
    before.replaceAllUsesWith(result);
  kernel.erase();
  if (fused.row)
    site.matmul->getResult(0).replaceAllUsesWith(fused.op.getResult(*fused.row));
  site.matmul->erase();
  return success();
}

static LogicalResult fuseAll(func::FuncOp function) {
  Block &block = function.getBody().front();
  std::map<int64_t, Site> sites;
  for (Operation &op : block) {
    auto number = op.getAttrOfType<IntegerAttr>(epilogueAttr);
    if (!number)
      continue;
    Site &site = sites[number.getInt()];
    if (auto kernel = dyn_cast<kern::RowwiseOp>(op); kernel && !site.kernel)
      site.kernel = kernel;
    else if (weightFormOf(&op) && !site.matmul)
      site.matmul = &op;
    else
      return op.emitOpError() << "must be the one matmul or kernel of its number of kern.epilogue";
  }
  for (auto &[number, site] : sites) {
    if (!site.matmul || !site.kernel)
      return (site.matmul ? site.matmul : site.kernel.getOperation())->emitOpError()
             << "lacks the " << (site.matmul ? "kernel" : "matmul") << " with its number of kern.epilogue";
    if (failed(fuse(site)))
      return failure();
  }
  if (!sites.empty() && !sortTopologically(&block)) // readers of a matmul move behind its epilogue
    return function.emitOpError() << "has epilogues that depend on each other in a circle";
  return success();
}

namespace {
struct FuseEpiloguesPass : stretto::codegen::impl::FuseEpiloguesBase<FuseEpiloguesPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(fuseAll(function)))
        return signalPassFailure();
  }
};
} // namespace
