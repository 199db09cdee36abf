//===- SeqDecode.cpp - caches and what reads them -------------------------===//
#include "ir/seq/SeqOps.h"

#include "ir/seq/ShapeRules.h"
#include "ir/seq/TensorShape.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::seq;

LogicalResult CacheOp::verify() {
  int64_t rank = getStacked() ? 4 : 3;
  if (getTensorType().getRank() == rank)
    return success();
  return emitOpError() << "must be "
                       << (getStacked() ? "[trips, batch, capacity, columns]" : "[batch, capacity, columns]")
                       << ", but got " << getType();
}

LogicalResult GetCacheOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto cache = symbols.lookupNearestSymbolFrom<CacheOp>(*this, getCacheAttr());
  if (!cache)
    return emitOpError() << "names no cache: " << getCacheAttr();
  if (cache.getType() == getType())
    return success();
  auto diagnostic = emitOpError() << "must have the type of the cache, but got " << getType();
  diagnostic.attachNote(cache.getLoc()) << "declared here with type " << cache.getType();
  return diagnostic;
}

/// Rows are [batch, rows, columns], positions [batch, rows]; null values are not looked at.
static LogicalResult verifyRows(Operation *op, Value rows, Value positions, Value counts) {
  auto type = typeOf(rows);
  if (type.getRank() != 3)
    return op->emitOpError() << "rows must be [batch, rows, columns], but got " << type;
  if (positions && typeOf(positions).getShape() != type.getShape().take_front(2))
    return op->emitOpError() << "positions must be [batch, rows] of " << type << ", but got " << positions.getType();
  if (counts && typeOf(counts).getShape() != type.getShape().take_front(1))
    return op->emitOpError() << "counts must be [batch] of " << type << ", but got " << counts.getType();
  return success();
}

/// A cache is [batch, capacity, columns] of the same sequences and of one type with the rows.
static LogicalResult verifyCache(Operation *op, Value cache, Value rows) {
  auto type = typeOf(cache), row = typeOf(rows);
  if (type.getRank() == 3 && type.getDimSize(0) == row.getDimSize(0) && type.getElementType() == row.getElementType())
    return success();
  return op->emitOpError() << "cache must be [batch, capacity, columns] of the sequences and type of " << row
                           << ", but got " << type;
}

static LogicalResult verifyColumns(Operation *op, Value cache, Value rows) {
  if (typeOf(cache).getShape().back() == typeOf(rows).getShape().back())
    return success();
  return op->emitOpError() << "cache and rows must have the same columns, but got " << cache.getType() << " and "
                           << rows.getType();
}

LogicalResult WriteCacheOp::verify() {
  if (failed(verifyRows(*this, getRows(), getPositions(), getCounts())) ||
      failed(verifyCache(*this, getCache(), getRows())))
    return failure();
  return verifyColumns(*this, getCache(), getRows());
}

LogicalResult ReadCacheOp::verify() {
  if (failed(verifyRows(*this, getResult(), getPositions(), {})) ||
      failed(verifyCache(*this, getCache(), getResult())) || failed(verifyColumns(*this, getCache(), getResult())))
    return failure();
  int64_t capacity = typeOf(getCache()).getDimSize(1), back = getBack();
  if (capacity - typeOf(getResult()).getDimSize(1) >= back)
    return success();
  return emitOpError() << "capacity must be at least the rows of a call and the steps back, but got " << capacity
                       << " for " << getResult().getType() << " and " << back;
}

LogicalResult LastRowOp::verify() {
  if (failed(verifyRows(*this, getRows(), {}, getCounts())))
    return failure();
  SmallVector<int64_t> shape(typeOf(getRows()).getShape());
  shape[1] = 1;
  if (getType() == typeOf(getRows()).clone(shape))
    return success();
  return emitOpError() << "result must be one row of each sequence of " << getRows().getType() << ", but got "
                       << getType();
}

LogicalResult AttentionStepOp::verify() {
  if (failed(verifyRows(*this, getQ(), getPositions(), getCounts())) || failed(verifyCache(*this, getK(), getQ())))
    return failure();
  int64_t heads = getHeads(), kvHeads = getKvHeads();
  if (failed(isPositive(*this, "scale", getScale())) || failed(isPositive(*this, "cap", getCap())) ||
      failed(verifyHeads(*this, typeOf(getQ()), typeOf(getK()), heads, kvHeads)) ||
      failed(verifySinks(*this, getSinks(), typeOf(getQ()), heads)) ||
      failed(verifyBias(*this, getBias(), typeOf(getQ()), heads)))
    return failure();
  auto v = typeOf(getV());
  if (failed(verifyCache(*this, getV(), getQ())) || v.getDimSize(1) != typeOf(getK()).getDimSize(1) ||
      v.getShape().back() % kvHeads != 0)
    return emitOpError() << "v must be a cache like k with " << kvHeads << " heads, but got " << v << " and "
                         << getK().getType();
  SmallVector<int64_t> shape(typeOf(getQ()).getShape());
  shape.back() = v.getShape().back() / kvHeads * heads;
  if (getType() != typeOf(getQ()).clone(shape))
    return emitOpError() << "result must have type " << typeOf(getQ()).clone(shape) << ", but got " << getType();
  int64_t capacity = typeOf(getK()).getDimSize(1), rows = typeOf(getQ()).getDimSize(1);
  if (failed(verifyDecay(*this, getDecay(), typeOf(getQ()), {typeOf(getQ()).getDimSize(0), capacity, heads})))
    return failure();
  if (getWindow() && capacity - rows < static_cast<int64_t>(*getWindow()) - 1)
    return emitOpError() << "capacity must be at least the rows of a call and the window before the first of them, but "
                         << "got " << capacity << " for " << getQ().getType() << " and " << *getWindow();
  return success();
}
