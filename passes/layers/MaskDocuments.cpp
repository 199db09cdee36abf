//===- MaskDocuments.cpp - documents of a sequence that do not see each other ---===//
#include "passes/analysis/RowAnalysis.h"
#include "passes/layers/Passes.h"
#include "passes/layers/Places.h"
#include "passes/support/PositionRows.h"
#include "passes/support/Refusal.h"

#include "ir/seq/Documents.h"

namespace stretto::passes {
#define GEN_PASS_DEF_MASKDOCUMENTS
#include "passes/layers/Passes.h.inc"
} // namespace stretto::passes

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Whether an operation leaves each row of activations where it is, or adds up over rows what belongs to parameters.
bool leavesRowsInPlace(Operation *op) {
  if (auto library = dyn_cast<seq::LibraryOp>(op))
    return !library.mixesRows();
  return op->hasTrait<OpTrait::IsTerminator>() || isa<seq::GetParameterOp, seq::LayerNumbersOp, seq::BackwardOp>(op) ||
         (seq::isRowOperation(op) && seq::reachOf(op) != seq::RowReach::shifted);
}

struct MaskDocumentsPass : stretto::passes::impl::MaskDocumentsBase<MaskDocumentsPass> {
  void runOnOperation() final {
    std::optional<int64_t> room = documentsOf(getOperation());
    if (!room)
      return;
    auto &rows = getAnalysis<RowAnalysis>();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (readsBatches(function) && failed(maskEntry(function, rows, *room)))
        return signalPassFailure();
  }

  LogicalResult maskEntry(func::FuncOp entry, const RowAnalysis &rows, int64_t room) {
    Places places(entry, room);
    places.positions(); // programs take them, needed or not
    places.starts();
    if (failed(forEachOperation(places, [&](Operation *op, Places &at) { return mask(op, rows, at); })))
      return failure();
    getOperation().walk([](seq::TableOp table) {
      if (table.use_empty())
        table.erase();
    });
    return success();
  }

  static LogicalResult mask(Operation *op, const RowAnalysis &rows, Places &places) {
    if (auto tap = dyn_cast<seq::TapOp>(op)) {
      maskTap(tap, places);
    } else if (auto broadcast = dyn_cast<seq::BroadcastOp>(op)) {
      return maskBroadcast(broadcast, rows, places);
    } else if (auto own = dyn_cast<seq::DocumentsOp>(op)) {
      own.maskDocuments(places);
    } else if (!leavesRowsInPlace(op) && !isa<seq::TableOp>(op)) {
      return refuseModel(op) << "'" << op->getName() << "' has no form with a document mask";
    }
    return success();
  }

  /// select(position >= k, tap(v, -k), 0); what is read k rows later must be k tokens into the same document, too.
  static void maskTap(seq::TapOp tap, Places &places) {
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
  static LogicalResult maskBroadcast(seq::BroadcastOp broadcast, const RowAnalysis &kinds, Places &places) {
    if (auto table = broadcast.getOperand().getDefiningOp<seq::TableOp>()) {
      Value whole = places.rowsOf(table);
      RowBuilder b(broadcast.getLoc(), broadcast);
      Value rows = fromFirstHalf(b, table, whole);
      broadcast.replaceAllUsesWith(broadcastRows(b, broadcast, rows, typeOf(broadcast.getResult()).getShape()));
      broadcast.erase();
      return success();
    }
    if (kinds.isRow(broadcast) && !broadcast.getDims().empty() && broadcast.getDims().front() == 1)
      return refuseModel(broadcast)
             << "a value that depends on the position in a sequence has no form with a document mask";
    return success();
  }
};
} // namespace
