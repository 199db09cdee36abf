//===- Storage.h - pieces of memory before they have addresses ----------------===//
#pragma once

#include "ir/kern/KernOps.h"

#include <optional>
#include <vector>

namespace stretto::codegen {

/// A place relative to a node: byte `offset`, plus `i * stride` in iteration i of the scan whose body it is seen
/// from (`(i mod 2) * stride` with `parity`). `lead` is the distance of the entries of a stack, 0 for values that
/// are contiguous.
struct Ref {
  unsigned node = 0;
  int64_t offset = 0, stride = 0;
  bool parity = false;
  int64_t lead = 0;
};

/// Nodes are pieces of memory. Each starts free; it may be placed into another node once, fixed to an address of an
/// arena, or claimed (to be placed later, by who claimed it). Nodes that are never placed become buffers of the
/// ACTIVATIONS arena.
class Storage {
public:
  unsigned create(int64_t bytes) {
    nodes.push_back({std::nullopt, std::nullopt, bytes, false});
    return nodes.size() - 1;
  }
  unsigned createFixed(kern::Arena arena, int64_t offset) {
    nodes.push_back({std::nullopt, Fixed{arena, offset}, 0, false});
    return nodes.size() - 1;
  }
  bool isFree(unsigned node) const { return !nodes[node].parent && !nodes[node].fixed && !nodes[node].claimed; }
  bool isBuffer(unsigned node) const { return !nodes[node].parent && !nodes[node].fixed; }
  bool isFixed(unsigned node) const { return nodes[node].fixed.has_value(); }
  /// Where a node starts in `arena`; nothing where it is not fixed there.
  std::optional<int64_t> offsetIn(unsigned node, kern::Arena arena) const {
    const std::optional<Fixed> &fixed = nodes[node].fixed;
    return fixed && fixed->arena == arena ? std::optional<int64_t>(fixed->offset) : std::nullopt;
  }
  void claim(unsigned node) { nodes[node].claimed = true; }
  /// Places a node into another; the offset, stride and parity of `ref` hold for the node's start.
  void place(unsigned node, const Ref &ref) { nodes[node].parent = ref; }
  void fix(unsigned node, kern::Arena arena, int64_t offset) { nodes[node].fixed = Fixed{arena, offset}; }

  int64_t bytes(unsigned node) const { return nodes[node].bytes; }
  unsigned count() const { return nodes.size(); }

  /// The same place, relative to a node that is not placed into another.
  Ref resolve(Ref ref) const;
  /// Whether two places are the same in each iteration.
  bool areSame(const Ref &a, const Ref &b) const;
  /// Same place with its address; the node's root must be fixed.
  kern::SlotAttr address(mlir::MLIRContext *context, const Ref &ref) const;

private:
  struct Fixed {
    kern::Arena arena;
    int64_t offset;
  };
  struct Node {
    std::optional<Ref> parent;
    std::optional<Fixed> fixed;
    int64_t bytes;
    bool claimed;
  };
  std::vector<Node> nodes;
};

} // namespace stretto::codegen
