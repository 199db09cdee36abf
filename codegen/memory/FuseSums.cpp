//===- FuseSums.cpp - sums that share a launch become one operation -------------===//
#include "codegen/memory/FusedSums.h"
#include "codegen/memory/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace stretto::codegen {
#define GEN_PASS_DEF_FUSESUMS
#include "codegen/memory/Passes.h.inc"
} // namespace stretto::codegen

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

using Sums = SmallVector<kern::SumPartialsOp>;

/// The sums of each launch, in the order of the block.
static FailureOr<llvm::MapVector<int64_t, Sums>> launchesOf(func::FuncOp function) {
  llvm::MapVector<int64_t, Sums> launches;
  for (Operation &op : function.getBody().front()) {
    auto number = op.getAttrOfType<IntegerAttr>(fusedSumAttr);
    if (!number)
      continue;
    auto sum = dyn_cast<kern::SumPartialsOp>(op);
    if (!sum || sum.getAccumulator())
      return op.emitOpError() << "must be a kern.sum_partials without an accumulator to share a launch";
    launches[number.getInt()].push_back(sum);
  }
  return launches;
}

/// The last partials are there at the last sum; nobody may read a sum before it.
static LogicalResult checkReaders(const Sums &sums) {
  Operation *last = sums.back();
  for (kern::SumPartialsOp sum : sums)
    for (Operation *user : sum->getUsers())
      if (user == last || user->isBeforeInBlock(last)) {
        InFlightDiagnostic error = sum.emitOpError() << "must not be read before the last sum of its launch";
        error.attachNote(user->getLoc()) << "read here";
        error.attachNote(last->getLoc()) << "the last sum";
        return error;
      }
  return success();
}

/// Puts one operation in place of the last of some.
static void fuse(const Sums &sums, const Twine &name) {
  SmallVector<Value> partials, results;
  SmallVector<Location> locations;
  for (kern::SumPartialsOp sum : sums) {
    llvm::append_range(partials, sum.getPartials());
    llvm::append_range(results, sum.getSums());
    locations.push_back(sum.getLoc());
  }
  OpBuilder b(sums.back());
  bool isNamed = llvm::all_of(sums, [](kern::SumPartialsOp sum) { return sum.getKernelAttr() != nullptr; });
  auto fused =
      kern::SumPartialsOp::create(b, b.getFusedLoc(locations), ValueRange(results).getTypes(), partials, Value(),
                                  isNamed ? b.getStringAttr(name) : StringAttr(), kern::ResourcesAttr());
  for (auto [before, after] : llvm::zip_equal(results, fused.getSums()))
    before.replaceAllUsesWith(after);
  for (kern::SumPartialsOp sum : sums)
    sum.erase();
}

static LogicalResult fuseIn(func::FuncOp function) {
  auto launches = launchesOf(function);
  if (failed(launches))
    return failure();
  for (auto [i, sums] : llvm::enumerate(llvm::make_second_range(*launches))) {
    if (failed(checkReaders(sums)))
      return failure();
    fuse(sums, function.getName() + ".sums" + Twine(i));
  }
  return success();
}

namespace {
struct FuseSumsPass : stretto::codegen::impl::FuseSumsBase<FuseSumsPass> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(fuseIn(function)))
        return signalPassFailure();
  }
};
} // namespace
