//===- RowWalk.cpp - how a rowwise kernel is laid out over blocks and threads ---===//
#include "codegen/cuda/RowWalk.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;

void stretto::forEachPiece(const RowPlan &plan,
                           llvm::function_ref<void(const Phase &, const Nest &, const Piece &)> visit) {
  for (const Phase &phase : plan.phases())
    for (const Nest &nest : phase.all)
      for (const ColumnLoop &loop : nest.loops)
        for (const Piece &piece : loop.pieces)
          visit(phase, nest, piece);
}

RowWalk::RowWalk(kern::RowwiseOp op) : op(op), schedule(*op.getSchedule()), plan(op) {
  std::tie(batch, time) = op.getRows();
  threads = schedule.getThreads() * schedule.getStrips();
  steps = llvm::divideCeil(std::min(chunkRows(), time), schedule.getRows());
  isRagged = chunkRows() % schedule.getRows() != 0 || time % chunkRows() != 0;
  int64_t lastChunk = (llvm::divideCeil(time, chunkRows()) - 1) * chunkRows();
  firstUnsure = time - (lastChunk + rowsWalked() - schedule.getRows());
  addLayouts();
  isWide = llvm::any_of(layouts, [&](auto &entry) {
    return entry.second.slots * entry.second.lanes * numberBytes() / 4 > mostColumnRegisters;
  });
}

int64_t RowWalk::numberBytes() const {
  int64_t bytes = 4;
  op->walk([&](Operation *inner) {
    for (Type type : inner->getResultTypes())
      bytes = std::max<int64_t>(bytes, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
  });
  return bytes;
}

int64_t stretto::leastLanes(kern::RowwiseOp op) {
  return llvm::any_of(op.getBody().getOps<seq::PermuteOp>(), [](seq::PermuteOp permute) {
    return permute.getStyle() == seq::PairStyle::interleaved && permute.getRotated() > 0;
  }) ? 2 : 1;
}

void RowWalk::addLayouts() {
  std::set<DomainKey> summedByHead;
  forEachPiece(plan, [&](const Phase &, const Nest &, const Piece &piece) {
    if (plan.roots()[piece.root].kind == Root::reduce && !TeamReductions::isWhole(piece))
      summedByHead.insert({piece.domain.heads, piece.domain.length});
  });
  int64_t next = 0;
  forEachPiece(plan, [&](const Phase &, const Nest &, const Piece &piece) {
    DomainKey key{piece.domain.heads, piece.domain.length};
    if (layouts.contains(key))
      return;
    ThreadLayout layout = layOutThreads(piece.domain, threads, std::max(schedule.getLanes(), leastLanes(op)),
                                        summedByHead.contains(key));
    layouts.emplace(key, layout);
    numbers.emplace(key, next);
    next += layout.slots;
  });
}
