//===- Storage.cpp - pieces of memory before they have addresses ----------===//
#include "codegen/memory/Storage.h"

using namespace stretto;
using namespace stretto::codegen;

Ref Storage::resolve(Ref ref) const {
  while (const std::optional<Ref> &parent = nodes[ref.node].parent) {
    ref.node = parent->node;
    ref.offset += parent->offset;
    ref.stride += parent->stride;
    ref.parity |= parent->parity;
  }
  return ref;
}

bool Storage::areSame(const Ref &a, const Ref &b) const {
  Ref left = resolve(a), right = resolve(b);
  return left.node == right.node && left.offset == right.offset && left.stride == right.stride;
}

kern::SlotAttr Storage::address(mlir::MLIRContext *context, const Ref &ref) const {
  Ref root = resolve(ref);
  const Fixed &fixed = *nodes[root.node].fixed;
  return kern::SlotAttr::get(context, fixed.arena, fixed.offset + root.offset, root.stride ? root.stride : root.lead,
                             root.parity);
}
