//===- PositionRows.cpp - rows of a table by position ---------------------===//
#include "passes/support/PositionRows.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

Value stretto::passes::tableRows(RowBuilder &b, Value positions, Value table) {
  auto tokens = typeOf(positions).getShape();
  auto type = RankedTensorType::get({tokens[0], tokens[1], columnsOf(table)}, typeOf(table).getElementType());
  return seq::EmbedOp::create(b, type, positions, table);
}

Value stretto::passes::copiedTableRows(RowBuilder &b, Value positions, seq::TableOp table) {
  return tableRows(b, positions, b.clone(*table)->getResult(0));
}

Attribute stretto::passes::tableKey(Operation *table) {
  NamedAttrList key(cast<DictionaryAttr>(table->getPropertiesAsAttribute()));
  key.set("type", TypeAttr::get(table->getResult(0).getType()));
  return key.getDictionary(table->getContext());
}

Value stretto::passes::broadcastRows(RowBuilder &b, seq::BroadcastOp broadcast, Value rows, ArrayRef<int64_t> shape) {
  if (shape == typeOf(rows).getShape())
    return rows;
  SmallVector<int64_t> dims{0};
  llvm::append_range(dims, broadcast.getDims());
  return b.broadcast(rows, dims, shape);
}
