//===- PositionRows.cpp -------------------------------------------------------===//
#include "passes/Support/PositionRows.h"

using namespace mlir;
using namespace stretto;

Value stretto::tableRows(RowBuilder &b, Value positions, Value table) {
  auto tokens = tensorType(positions).getShape();
  auto type = RankedTensorType::get({tokens[0], tokens[1], columnsOf(table)}, tensorType(table).getElementType());
  return seq::EmbedOp::create(b, type, positions, table);
}

void stretto::broadcastRows(seq::BroadcastOp broadcast, Value rows) {
  RowBuilder b(broadcast.getLoc(), broadcast);
  SmallVector<int64_t> dims{0};
  llvm::append_range(dims, broadcast.getDims());
  auto shape = tensorType(broadcast.getResult()).getShape();
  bool isWhole = shape == tensorType(rows).getShape();
  broadcast.replaceAllUsesWith(isWhole ? rows : b.broadcast(rows, dims, shape));
  broadcast.erase();
}
