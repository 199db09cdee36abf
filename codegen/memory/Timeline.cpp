//===- Timeline.cpp -----------------------------------------------------------===//
#include "codegen/memory/Timeline.h"

using namespace mlir;
using namespace stretto;

func::FuncOp stretto::bodyOf(seq::ScanOp scan) {
  return SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(scan, scan.getBodyAttr());
}

Timeline::Timeline(func::FuncOp entry) { number(entry); }

void Timeline::number(func::FuncOp function) {
  order.push_back(function);
  for (Operation &op : function.getBody().front()) {
    times[&op] = now++;
    if (auto scan = dyn_cast<seq::ScanOp>(op)) {
      func::FuncOp body = bodyOf(scan);
      callers[body] = scan;
      number(body);
      ends[&op] = now++;
    }
  }
}
