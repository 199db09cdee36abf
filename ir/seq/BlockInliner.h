//===- BlockInliner.h - operations of a model may stand in any block ----------===//
#pragma once

#include "mlir/Transforms/InliningUtils.h"

namespace stretto::seq {

/// Of a dialect whose operations may stand in blocks of a model: these are inlined wherever they are called.
struct BlockInliner : mlir::DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(mlir::Operation *, mlir::Operation *, bool) const final { return true; }
  bool isLegalToInline(mlir::Operation *, mlir::Region *, bool, mlir::IRMapping &) const final { return true; }
};

} // namespace stretto::seq
