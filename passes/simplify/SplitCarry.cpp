//===- SplitCarry.cpp - a carried sum is carried as its two parts -------------===//
#include "passes/fusion/RowRoles.h"
#include "passes/simplify/Passes.h"
#include "passes/support/Scans.h"
#include "passes/support/StoredBytes.h"

#include "ir/seq/Marks.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

namespace stretto::passes {
#define GEN_PASS_DEF_SPLITCARRY
#include "passes/simplify/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// A carried value that a scan body returns as a sum.
struct CarriedSum {
  seq::ScanOp scan;
  func::FuncOp body;
  unsigned index; ///< of the carried value
  arith::AddFOp sum;
};

/// Decides for the carried sums of one scan body.
class Chooser {
public:
  Chooser(func::FuncOp body, const RowAnalysis &rows) : block(body.getBody().front()), rows(rows), roles(body, rows) {}

  bool isWorthwhile(const CarriedSum &carried) {
    arith::AddFOp sum = carried.sum;
    auto isNoPart = [&](Value part) { return matchPattern(part, m_Constant()) || isFusedWithMaker(part, sum); };
    return rows.isRow(sum) && llvm::none_of(sum->getOperands(), isNoPart);
  }

  /// Whether a kernel of rows makes a carried value, so that it is written before the next iteration begins.
  bool isMadeByRows(Value returned) {
    Operation *maker = returned.getDefiningOp();
    return maker && roles.getRole(maker) == RowRole::member && !isMarkedNoFuse(maker);
  }

  /// Whether a row operation can take the carried value at the head of the body.
  bool hasReaderAtHead(unsigned index) {
    Value argument = block.getArgument(index);
    llvm::DenseSet<Operation *> behind = findBehindLibrary(argument);
    return llvm::any_of(roles.findReaders(argument), [&](Operation *reader) {
      return roles.getRole(reader) == RowRole::member && !behind.contains(reader);
    });
  }

private:
  /// Whether the addition can share the kernel that makes one of its operands.
  bool isFusedWithMaker(Value part, Operation *sum) {
    llvm::SmallPtrSet<Operation *, 8> passed;
    SmallVector<Value> work{part};
    while (!work.empty()) {
      Operation *maker = work.pop_back_val().getDefiningOp();
      if (!maker || roles.getRole(maker) == RowRole::outside || !passed.insert(maker).second)
        continue;
      if (roles.getRole(maker) == RowRole::duplicated)
        llvm::append_range(work, maker->getOperands());
      else if (!findBehindLibrary(maker->getResult(0)).contains(sum))
        return true;
    }
    return false;
  }

  /// The operations that `value` reaches only or also through an operation that is no row operation.
  llvm::DenseSet<Operation *> findBehindLibrary(Value value) {
    llvm::DenseSet<Operation *> reached, behind;
    for (Operation &op : block)
      for (Value operand : op.getOperands()) {
        Operation *maker = operand.getDefiningOp();
        bool isBehind =
            maker && (behind.contains(maker) || (reached.contains(maker) && roles.getRole(maker) == RowRole::outside));
        if (operand == value || (maker && reached.contains(maker)))
          reached.insert(&op);
        if (isBehind)
          behind.insert(&op);
      }
    return behind;
  }

  Block &block;
  const RowAnalysis &rows;
  RowRoles roles;
};
} // namespace

/// Rewrites the body: takes two values, adds them at its head, returns the parts of the sum.
static void splitBody(CarriedSum &carried) {
  func::FuncOp body = carried.body;
  Block &block = body.getBody().front();
  Value first = block.getArgument(carried.index);
  Location loc = carried.sum.getLoc();
  Value second = addArgument(body, carried.index + 1, first.getType(), loc);
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  auto head = arith::AddFOp::create(builder, loc, first, second);
  first.replaceAllUsesExcept(head, head);

  Operation *end = block.getTerminator();
  SmallVector<Value> returned(end->getOperands());
  returned[carried.index] = carried.sum.getLhs();
  returned.insert(returned.begin() + carried.index + 1, carried.sum.getRhs());
  end->setOperands(returned);
  if (carried.sum.use_empty())
    carried.sum.erase();
  bool isInserted = succeeded(body.insertResult(carried.index + 1, first.getType(), {}));
  (void)isInserted;
  assert(isInserted && "bodies of scans may get results");
}

/// The scan with one carried value more; the sum is done behind it.
static seq::ScanOp splitScan(CarriedSum &carried) {
  seq::ScanOp scan = carried.scan;
  OpBuilder builder(scan);
  Location loc = scan.getLoc();
  auto type = cast<RankedTensorType>(scan.getCarry()[carried.index].getType());
  Value zero = arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
  SmallVector<Value> carry(scan.getCarry());
  carry.insert(carry.begin() + carried.index + 1, zero);
  SmallVector<Type> types(scan.getResultTypes());
  types.insert(types.begin() + carried.index + 1, type);
  seq::ScanOp split = rebuildScan(scan, types, carry, scan.getSlices(), scan.getInvariants());
  for (auto [i, result] : llvm::enumerate(scan.getResults()))
    if (i != carried.index)
      result.replaceAllUsesWith(split.getResult(i < carried.index ? i : i + 1));
  Value last = scan.getResult(carried.index);
  if (!last.use_empty())
    last.replaceAllUsesWith(arith::AddFOp::create(builder, carried.sum.getLoc(), split.getResult(carried.index),
                                                  split.getResult(carried.index + 1)));
  scan.erase();
  return split;
}

namespace {
struct SplitCarryPass : stretto::passes::impl::SplitCarryBase<SplitCarryPass> {
  void runOnOperation() final {
    auto &rows = getAnalysis<RowAnalysis>();
    SymbolTable symbols(getOperation());
    SmallVector<SmallVector<CarriedSum>> chosen;
    getOperation().walk([&](seq::ScanOp scan) { chosen.push_back(choose(scan, symbols, rows)); });
    for (SmallVector<CarriedSum> &sums : chosen) {
      // From the last on, so that the places of the others stay.
      for (CarriedSum &carried : llvm::reverse(sums)) {
        seq::ScanOp split = splitScan(carried);
        splitBody(carried);
        for (CarriedSum &other : sums)
          other.scan = split;
      }
    }
  }

  SmallVector<CarriedSum> choose(seq::ScanOp scan, SymbolTable &symbols, const RowAnalysis &rows) {
    auto body = symbols.lookup<func::FuncOp>(scan.getBody());
    if (body.isExternal())
      return {};
    SmallVector<CarriedSum> chosen;
    Chooser chooser(body, rows);
    ValueRange returned = body.getBody().front().getTerminator()->getOperands();
    for (unsigned i = 0; i < scan.getCarry().size(); ++i) {
      auto sum = returned[i].getDefiningOp<arith::AddFOp>();
      CarriedSum carried{scan, body, i, sum};
      auto options = remark::RemarkOpts::name("SplitCarry").category("fusion").function(body.getName());
      if (!sum || !chooser.isWorthwhile(carried)) {
        if (chooser.isMadeByRows(returned[i]) && chooser.hasReaderAtHead(i))
          remark::missed(returned[i].getLoc(), options)
              << "the carried value is written, and read again by the next iteration"
              << remark::reason("only a sum of two stored values is carried as its parts");
        continue;
      }
      bool isApart = isMarkedNoFuse(sum);
      if (isApart || !chooser.hasReaderAtHead(carried.index)) {
        remark::missed(sum.getLoc(), options)
            << "the carried sum is a kernel of its own"
            << remark::reason("{0}",
                              isApart ? "the source asks for it" : "no row operation reads it at the head of the body");
        continue;
      }
      remark::passed(sum.getLoc(), options)
          << "the sum is carried as its two parts and added where the next iteration reads it"
          << remark::metric("BytesNotMoved", storedBytes(sum));
      chosen.push_back(carried);
    }
    return chosen;
  }
};
} // namespace
