//===- MaskDocuments.cpp - documents of a sequence that do not see each other ---===//
#include "passes/layers/Passes.h"
#include "passes/support/PositionRows.h"
#include "passes/support/Refusal.h"

#include "ir/seq/Documents.h"
#include "ir/seq/Purpose.h"

#include "mlir/IR/SymbolTable.h"

namespace stretto::passes {
#define GEN_PASS_DEF_MASKDOCUMENTS
#include "passes/layers/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// What operations of one function need to know of documents. The body of a scan asks its caller, and gets each value
/// as one more invariant.
class Places final : public seq::Documents {
public:
  Places(func::FuncOp function, seq::ScanOp scan, Places *caller) : function(function), scan(scan), caller(caller) {}

  void give(StringRef name, Value value) { known[StringAttr::get(function.getContext(), name)] = value; }

  Value positions() override { return get(StringAttr::get(function.getContext(), positionsInput)); }
  /// The same as reals.
  Value realPositions(Type element) {
    if (!real) {
      RowBuilder b = atStart(function.getLoc());
      real = arith::SIToFPOp::create(b, typeOf(positions()).clone(element), positions());
    }
    return real;
  }

  Value starts() override { return get(StringAttr::get(function.getContext(), startsInput)); }

  /// The rows of a table at the positions; made once, in the entry function.
  Value rowsOf(seq::TableOp table) { return get(tableKey(table), table); }

private:
  RowBuilder atStart(Location loc) { return RowBuilder(loc, OpBuilder::atBlockBegin(&function.getBody().front())); }

  Value get(Attribute key, seq::TableOp table = {}) {
    auto it = known.find(key);
    if (it == known.end())
      it = known.try_emplace(key, caller ? pass(caller->get(key, table)) : make(table)).first;
    return it->second;
  }

  /// Passes a value of the caller on to the body.
  Value pass(Value value) {
    if (!value)
      return {};
    scan.getInvariantsMutable().append(value);
    unsigned number = function.getNumArguments();
    bool isInserted = succeeded(function.insertArgument(number, value.getType(), {}, function.getLoc()));
    (void)isInserted;
    assert(isInserted && "bodies of scans may get arguments");
    return function.getArgument(number);
  }

  Value make(seq::TableOp table) {
    if (!table)
      return {};
    Value at = positions();
    RowBuilder b = atStart(table.getLoc());
    return copiedTableRows(b, at, table);
  }

  func::FuncOp function;
  seq::ScanOp scan;
  Places *caller;
  llvm::MapVector<Attribute, Value> known;
  Value real;
};

/// Whether an operation leaves each row of activations where it is, or adds up over rows what belongs to parameters.
bool leavesRowsInPlace(Operation *op) {
  if (auto library = dyn_cast<seq::LibraryOp>(op))
    return !library.mixesRows();
  return op->hasTrait<OpTrait::IsTerminator>() || isa<seq::GetParameterOp, seq::BackwardOp>(op) ||
         (seq::isRowOperation(op) && seq::reachOf(op) != seq::RowReach::shifted);
}

struct MaskDocumentsPass : stretto::passes::impl::MaskDocumentsBase<MaskDocumentsPass> {
  void runOnOperation() final {
    std::optional<int64_t> room = documentsOf(getOperation());
    if (!room)
      return;
    auto readsBatches = [](func::FuncOp function) {
      return isEntry(function, seq::EntryKind::training) || isEntry(function, seq::EntryKind::evaluation);
    };
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (readsBatches(function) && failed(maskEntry(function, *room)))
        return signalPassFailure();
  }

  LogicalResult maskEntry(func::FuncOp entry, int64_t room) {
    auto tokens = cast<RankedTensorType>(entry.getArgumentTypes()[0]);
    Places places(entry, nullptr, nullptr);
    places.give(positionsInput, addInput(entry, 1, positionsInput, tokens));
    places.give(startsInput, room ? addInput(entry, 2, startsInput, tokens.clone({room + 1})) : Value());
    return mask(entry, places);
  }

  Value addInput(func::FuncOp entry, unsigned number, StringRef name, Type type) {
    NamedAttribute attr(StringAttr::get(&getContext(), inputAttr), StringAttr::get(&getContext(), name));
    bool isInserted =
        succeeded(entry.insertArgument(number, type, DictionaryAttr::get(&getContext(), attr), entry.getLoc()));
    (void)isInserted;
    assert(isInserted && "entry functions may get arguments");
    return entry.getArgument(number);
  }

  LogicalResult mask(func::FuncOp function, Places &places) {
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
      if (failed(mask(&op, places)))
        return failure();
    function.walk([](seq::TableOp table) {
      if (table.use_empty())
        table.erase();
    });
    return success();
  }

  LogicalResult mask(Operation *op, Places &places) {
    if (auto tap = dyn_cast<seq::TapOp>(op)) {
      maskTap(tap, places);
    } else if (auto broadcast = dyn_cast<seq::BroadcastOp>(op)) {
      return maskBroadcast(broadcast, places);
    } else if (auto own = dyn_cast<seq::DocumentsOp>(op)) {
      own.maskDocuments(places);
    } else if (auto scan = dyn_cast<seq::ScanOp>(op)) {
      auto body = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(scan, scan.getBodyAttr());
      Places inner(body, scan, &places);
      return mask(body, inner);
    } else if (!leavesRowsInPlace(op) && !isa<seq::TableOp>(op)) {
      return refuseModel(op) << "'" << op->getName() << "' has no form with a document mask";
    }
    return success();
  }

  /// select(position >= k, tap(v, -k), 0); what is read k rows later must be k tokens into the same document, too.
  void maskTap(seq::TapOp tap, Places &places) {
    int64_t offset = tap.getOffset();
    RowBuilder b(tap.getLoc(), tap);
    b.setInsertionPointAfter(tap);
    auto type = typeOf(tap.getResult());
    Value positions = places.realPositions(type.getElementType());
    Value position = offset > 0 ? b.tap(positions, offset) : positions;
    Value reaches = b.greater(position, b.splat(position.getType(), static_cast<double>(std::abs(offset) - 1)));
    Value inside = seq::BroadcastOp::create(b, type.clone(b.getI1Type()), reaches, dimRange(0, 2));
    Value masked = b.select(inside, tap, b.splat(type, 0.0));
    tap.getResult().replaceAllUsesExcept(masked, masked.getDefiningOp());
  }

  /// The second half of what turns says what the first one does, so that kernels need not read it.
  static Value fromFirstHalf(RowBuilder &b, seq::TableOp table, Value rows) {
    int64_t rotated = table.getRotated(), rest = columnsOf(rows) - rotated;
    if (table.getStyle() != seq::PairStyle::half_split || rotated == 0)
      return rows;
    Value first = b.slice(rows, 0, rotated / 2);
    SmallVector<Value> pieces{first, table.getKind() == seq::TableKind::rotary_sin ? b.neg(first) : first};
    if (rest)
      pieces.push_back(b.slice(rows, rotated, rest));
    return b.concat(pieces);
  }

  /// What is repeated along the batch, but not along time, is known for positions in a sequence only where it is a
  /// table.
  LogicalResult maskBroadcast(seq::BroadcastOp broadcast, Places &places) {
    if (auto table = broadcast.getOperand().getDefiningOp<seq::TableOp>()) {
      Value whole = places.rowsOf(table);
      RowBuilder b(broadcast.getLoc(), broadcast);
      Value rows = fromFirstHalf(b, table, whole);
      broadcast.replaceAllUsesWith(broadcastRows(b, broadcast, rows, typeOf(broadcast.getResult()).getShape()));
      broadcast.erase();
      return success();
    }
    if (!broadcast.getDims().empty() && broadcast.getDims().front() == 1)
      return refuseModel(broadcast)
             << "a value that depends on the position in a sequence has no form with a document mask";
    return success();
  }
};
} // namespace
