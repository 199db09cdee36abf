//===- Places.cpp - where the tokens of an entry stand ------------------------===//
#include "passes/layers/Places.h"

#include "passes/support/PositionRows.h"
#include "passes/support/Scans.h"

#include "ir/seq/Documents.h"
#include "ir/seq/Purpose.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

Places::Places(func::FuncOp entry, int64_t room) : function(entry), room(room) {}
Places::Places(seq::ScanOp scan, Places &caller) : function(bodyOf(scan)), scan(scan), caller(&caller) {}

RowBuilder Places::atStart(Location loc) {
  return RowBuilder(loc, OpBuilder::atBlockBegin(&function.getBody().front()));
}

/// What the key stands for: `make` makes it in the entry, bodies pass it on.
Value Places::get(Attribute key, function_ref<Value(Places &)> make) {
  auto it = known.find(key);
  if (it != known.end())
    return it->second;
  Value value = caller ? pass(caller->get(key, make)) : make(*this);
  return known[key] = value;
}

Value Places::pass(Value ofCaller) {
  if (!ofCaller)
    return {};
  scan.getInvariantsMutable().append(ofCaller);
  return addArgument(function, function.getNumArguments(), ofCaller.getType(), function.getLoc());
}

Value Places::insertInput(unsigned number, StringRef name, Type type) {
  MLIRContext *context = function.getContext();
  NamedAttribute attribute(StringAttr::get(context, inputAttr), StringAttr::get(context, name));
  return addArgument(function, number, type, function.getLoc(), DictionaryAttr::get(context, attribute));
}

/// Inputs stand behind the tokens, in the order in which they are asked for.
Value Places::addInput(StringRef name, Type type) { return insertInput(++inputs, name, type); }

Value Places::positions() {
  return get(StringAttr::get(function.getContext(), positionsInput),
             [](Places &entry) { return entry.addInput(positionsInput, entry.function.getArgumentTypes().front()); });
}

Value Places::starts() {
  return get(StringAttr::get(function.getContext(), startsInput), [](Places &entry) -> Value {
    auto tokens = cast<RankedTensorType>(entry.function.getArgumentTypes().front());
    return entry.room ? entry.addInput(startsInput, tokens.clone({entry.room + 1})) : Value();
  });
}

/// Behind all others, so that those lie where other entries have them.
Value Places::dropoutKeys() {
  return get(StringAttr::get(function.getContext(), dropoutKeysInput), [](Places &entry) {
    return entry.insertInput(entry.function.getNumArguments(), dropoutKeysInput,
                             entry.function.getArgumentTypes().front());
  });
}

Value Places::realPositions(Type element) {
  if (!real) {
    RowBuilder b = atStart(function.getLoc());
    real = arith::SIToFPOp::create(b, typeOf(positions()).clone(element), positions());
  }
  return real;
}

Value Places::rowsOf(seq::TableOp table) {
  return get(tableKey(table), [&](Places &entry) {
    Value at = entry.positions();
    RowBuilder b = entry.atStart(table.getLoc());
    return copiedTableRows(b, at, table);
  });
}

bool stretto::passes::readsBatches(func::FuncOp function) {
  return isEntry(function, seq::EntryKind::training) || isEntry(function, seq::EntryKind::evaluation);
}

LogicalResult stretto::passes::forEachOperation(Places &places,
                                                function_ref<LogicalResult(Operation *, Places &)> visit) {
  for (Operation &op : llvm::make_early_inc_range(places.getFunction().getBody().front())) {
    auto scan = dyn_cast<seq::ScanOp>(op);
    if (!scan) {
      if (failed(visit(&op, places)))
        return failure();
      continue;
    }
    Places inner(scan, places);
    if (failed(forEachOperation(inner, visit)))
      return failure();
  }
  return success();
}
