//===- WalkBuilder.cpp - writing a tile program -------------------------------===//
#include "codegen/mixers/WalkBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using kern::WindowKind;

WalkBuilder::WalkBuilder(ImplicitLocOpBuilder &b, const MixerShape &shape)
    : b(b), shape(shape), body(&region.emplaceBlock()), place(b.saveInsertionPoint()) {
  b.setInsertionPointToStart(body);
}

kern::WindowAttr WalkBuilder::window(WindowKind kind, int64_t parts, int64_t width, int64_t every) {
  return kern::WindowAttr::get(b.getContext(), kind, parts, width, every);
}

Value WalkBuilder::argument(Value value, kern::WindowAttr window, ArrayRef<int64_t> tile) {
  inputs.push_back(value);
  windows.push_back(window);
  return body->addArgument(RankedTensorType::get(tile, typeOf(value).getElementType()), b.getLoc());
}

Value WalkBuilder::tile(Value value, int64_t parts, ArrayRef<int64_t> columns) {
  bool isShared = typeOf(value).getRank() == 1;
  SmallVector<int64_t> sizes;
  if (!isShared)
    sizes.push_back(shape.chunk);
  llvm::append_range(sizes, columns);
  return argument(value, window(isShared ? WindowKind::shared : WindowKind::rows, parts), sizes);
}

Value WalkBuilder::columns(Value value, int64_t parts) {
  return value ? tile(value, parts, {static_cast<int64_t>(llvm::alignTo(columnsOf(value) / parts, 16))}) : Value();
}

Value WalkBuilder::numbers(Value value, int64_t parts) { return value ? tile(value, parts, {}) : Value(); }

Value WalkBuilder::states(Value value, int64_t every) {
  return argument(value, window(WindowKind::states, shape.programs(), shape.blockWidth(), every),
                  shape.stateTile(shape.real).getShape());
}

Value WalkBuilder::entries(Value value, int64_t parts, int64_t width, ArrayRef<int64_t> tile) {
  return argument(value, window(WindowKind::states, parts, width), tile);
}

Value WalkBuilder::carryTile(ArrayRef<int64_t> tile) {
  return body->addArgument(RankedTensorType::get(tile, shape.real), b.getLoc());
}

Value WalkBuilder::carry(Type element, Value from, int64_t every) {
  if (from) {
    initial.push_back(from);
    windows.push_back(window(WindowKind::states, shape.programs(), shape.blockWidth(), every));
  }
  return body->addArgument(shape.stateTile(element), b.getLoc());
}

/// The tile as the numbers of its result.
static Value converted(ImplicitLocOpBuilder &b, Value tile, Type element) {
  auto from = typeOf(tile), to = from.clone(element);
  if (from == to)
    return tile;
  return from.getElementTypeBitWidth() < to.getElementTypeBitWidth() ? arith::ExtFOp::create(b, to, tile).getResult()
                                                                     : arith::TruncFOp::create(b, to, tile).getResult();
}

void WalkBuilder::store(Value tile, RankedTensorType type, kern::WindowAttr window) {
  stored.push_back(converted(b, tile, type.getElementType()));
  results.push_back(type);
  resultWindows.push_back(window);
}

void WalkBuilder::storeRows(Value tile, Type element, int64_t parts, int64_t width) {
  auto type = RankedTensorType::get({shape.batch, shape.time, parts * width}, element);
  store(tile, type, window(WindowKind::rows, parts));
}

void WalkBuilder::storeStates(Value tile, Type element, int64_t every) {
  int64_t entries = llvm::divideCeil(shape.chunks(), every);
  auto type = RankedTensorType::get({shape.batch, shape.heads, entries, shape.keys * shape.values}, element);
  store(tile, type, window(WindowKind::states, shape.programs(), shape.blockWidth(), every));
}

void WalkBuilder::storeEnds(Value tile, bool reverse) {
  bool isList = typeOf(tile).getRank() == 1;
  int64_t parts = shape.programs(), width = isList ? 1 : shape.blockWidth();
  int64_t heads = isList ? parts : shape.heads, numbers = isList ? shape.keys : shape.keys * shape.values;
  auto type = RankedTensorType::get({shape.batch, heads, shape.spans(), numbers}, shape.real);
  store(tile, type, window(reverse ? WindowKind::states : WindowKind::ends, parts, width, shape.span));
}

kern::WalkOp WalkBuilder::finish(ValueRange carried, int64_t span, bool reverse, bool gradient) {
  llvm::append_range(stored, carried);
  kern::YieldOp::create(b, stored);
  b.restoreInsertionPoint(place);
  auto walk = kern::WalkOp::create(b, results, inputs, initial, b.getArrayAttr(windows), b.getArrayAttr(resultWindows),
                                   shape.programs(), shape.chunk, span, reverse, gradient, /*shared_state=*/false,
                                   /*held=*/IntegerAttr(), /*kernel=*/StringAttr(),
                                   /*resources=*/kern::ResourcesAttr());
  walk.getBody().takeBody(region);
  return walk;
}
