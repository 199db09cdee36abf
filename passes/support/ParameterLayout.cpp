//===- ParameterLayout.cpp - trainable first, layer by layer ------------------===//
#include "passes/support/ParameterLayout.h"

#include "ir/seq/ActivationType.h"
#include "ir/seq/TensorBytes.h"

#include <numeric>

using namespace mlir;
using namespace stretto;
using namespace stretto::passes;

namespace {
/// Parameters that are laid out together: one that is not stacked, or all stacked ones of the same layers.
struct Group {
  std::array<int64_t, 3> layers; // trips, first, step; trips 0: not stacked
  SmallVector<seq::ParameterOp> members;
};

SmallVector<Group> groupByLayers(ArrayRef<seq::ParameterOp> parameters) {
  SmallVector<Group> groups;
  for (seq::ParameterOp op : parameters) {
    std::array<int64_t, 3> layers{op.getStacked() ? op.getLayers() : 0, static_cast<int64_t>(op.getFirst()),
                                  static_cast<int64_t>(op.getStep())};
    auto *same = llvm::find_if(groups, [&](Group &g) { return layers[0] && g.layers == layers; });
    if (same == groups.end()) {
      groups.push_back({layers, {}});
      same = &groups.back();
    }
    same->members.push_back(op);
  }
  return groups;
}

/// Lays out one part (trainable or frozen) from `offset` on; returns its end.
int64_t layoutPart(ParameterLayout &layout, ArrayRef<seq::ParameterOp> parameters, int64_t offset) {
  for (Group &group : groupByLayers(parameters)) {
    int64_t stride = 0;
    for (seq::ParameterOp op : group.members) {
      layout.slots[op] = {offset + stride, 0};
      stride += alignSlot(entryBytes(op));
    }
    if (group.layers[0])
      for (seq::ParameterOp op : group.members)
        layout.slots[op].stride = stride;
    offset += stride * group.members.front().getLayers();
  }
  return offset;
}

bool hasFactors(seq::ParameterOp parameter) {
  return llvm::any_of(parameter.getParts().getAsRange<seq::PartAttr>(),
                      [](seq::PartAttr part) { return !part.getFactors().empty(); });
}

/// Elements side by side of one part, whichever these are: a power of two, at most those of a slot's alignment.
int64_t elementsOfOnePart(const ParameterLayout &layout, ArrayRef<seq::ParameterOp> parameters) {
  int64_t element = elementBytes(layout.elementType), common = slotAlignment / element;
  for (seq::ParameterOp op : parameters)
    for (auto part : op.getParts().getAsRange<seq::PartAttr>())
      common = std::gcd(common, part.getRows() * ShapedType::getNumElements(op.getLayerShape().drop_front()));
  return common;
}
} // namespace

int64_t stretto::passes::entryBytes(seq::ParameterOp parameter) {
  return bytesOf(parameter.getTensorType()) / parameter.getLayers();
}

ParameterLayout stretto::passes::layoutParameters(ModuleOp module) {
  SmallVector<seq::ParameterOp> trainable, frozen;
  for (auto op : module.getOps<seq::ParameterOp>())
    (op.getFrozen() ? frozen : trainable).push_back(op);
  ParameterLayout layout;
  layout.elementType = Float32Type::get(module.getContext());
  if (auto all = module.getOps<seq::ParameterOp>(); !all.empty())
    layout.elementType = (*all.begin()).getTensorType().getElementType();
  int64_t rowBytes = layout.flatRowBytes();
  int64_t used = layoutPart(layout, trainable, 0);
  layout.trainableBytes = llvm::alignTo(std::max<int64_t>(used, 1), rowBytes);
  layout.squaresBytes = llvm::alignTo(layout.trainableBytes / flatColumns, rowBytes);
  if (llvm::any_of(trainable, hasFactors))
    layout.factorColumns = flatColumns / elementsOfOnePart(layout, trainable);
  layout.totalBytes = layoutPart(layout, frozen, layout.trainableBytes);
  if (roundedActivationType(module)) {
    layout.totalBytes = llvm::alignTo(layout.totalBytes, rowBytes);
    layout.roundedBytes = layout.totalBytes / 2;
  }
  return layout;
}
