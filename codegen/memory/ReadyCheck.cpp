//===- ReadyCheck.cpp - buckets are final when a program says so --------------===//
#include "codegen/memory/ReadyCheck.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

ReadyCheck::ReadyCheck(ModuleOp module, func::FuncOp entry)
    : entry(entry), layout(passes::layoutParameters(module)), buckets(bucketsOf(module)), awaited(module) {
  if (!entry.getOps<seq::GradientOp>().empty())
    module.walk([&](kern::AwaitOp) { waits = true; });
  for (auto gradient : entry.getOps<seq::GradientOp>()) {
    auto parameter = cast<seq::ParameterOp>(module.lookupSymbol(gradient.getParameter()));
    passes::ParameterSlot slot = layout.slots.lookup(parameter);
    size_t number = numbers.try_emplace(parameter.getSymNameAttr(), numbers.size()).first->second;
    for (int64_t i = 0, entries = parameter.getLayers(); i < entries; ++i)
      open.insert(
          {{number, i}, {parameter.getSymNameAttr(), {slot.at(i), slot.at(i) + passes::entryBytes(parameter), i}}});
  }
}

LogicalResult ReadyCheck::run(kern::ReadyOp op, int64_t iteration, bool inBody) {
  isTold = true;
  for (auto name : op.getParameters().getAsRange<FlatSymbolRefAttr>())
    if (failed(close(op, name, iteration, inBody)))
      return failure();
  return tell(op, inBody ? iteration : 0);
}

LogicalResult ReadyCheck::close(kern::ReadyOp op, FlatSymbolRefAttr name, int64_t iteration, bool inBody) {
  auto number = numbers.find(name.getAttr());
  if (number == numbers.end())
    return op.emitOpError() << "must name parameters that have gradients, but there is no seq.gradient of " << name;
  size_t before = open.size();
  auto from = open.lower_bound({number->second, inBody ? iteration : 0});
  open.erase(from, inBody ? open.upper_bound({number->second, iteration}) : open.lower_bound({number->second + 1, 0}));
  if (open.size() == before)
    return op.emitOpError() << "must say once that the gradient of " << name << " is final, but says it again";
  return success();
}

LogicalResult ReadyCheck::tell(kern::ReadyOp op, int64_t number) {
  if (number >= static_cast<int64_t>(op.getBuckets().size()))
    return op.emitOpError() << "must tell how many buckets are final in iteration " << number;
  int64_t count = op.getBuckets()[number];
  if (count < told || count > static_cast<int64_t>(buckets.size()))
    return op.emitOpError() << "must tell a number of buckets from " << told << ", which were final before, to "
                            << buckets.size() << ", but got " << count;
  int64_t rowBytes = layout.flatRowBytes();
  for (; told < count; ++told) {
    int64_t begin = buckets[told].getFirst() * rowBytes, end = begin + buckets[told].getRows() * rowBytes;
    for (const Open &one : llvm::make_second_range(open))
      if (one.bytes.begin < end && begin < one.bytes.end)
        return op.emitOpError() << "says that bucket " << told << " is final in iteration " << number
                                << ", but the gradient of @" << one.parameter.getValue() << " is not";
  }
  return success();
}

LogicalResult ReadyCheck::run(kern::AwaitOp op, int64_t iteration, bool inBody) {
  int64_t number = inBody ? iteration : 0;
  if (number >= static_cast<int64_t>(op.getBuckets().size()))
    return op.emitOpError() << "must tell how many buckets must have come in iteration " << number;
  int64_t count = op.getBuckets()[number];
  if (count > awaited.count())
    return op.emitOpError() << "must wait for at most " << awaited.count() << " buckets, but got " << count;
  come = std::max(come, count);
  return success();
}

LogicalResult ReadyCheck::checkReads(Operation *op, int64_t iteration, bool inBody) {
  int64_t needed = waits ? awaited.neededBy(op, iteration, inBody) : 0;
  if (needed <= come)
    return success();
  return op->emitOpError() << "reads weights in iteration " << iteration << " for which " << needed
                           << " buckets must have come, but only " << come << " were waited for";
}

LogicalResult ReadyCheck::finish() {
  if (!isTold)
    return success();
  if (!open.empty())
    return entry.emitOpError() << "must say that the gradient of @" << open.begin()->second.parameter.getValue()
                               << " is final";
  if (told != static_cast<int64_t>(buckets.size()))
    return entry.emitOpError() << "must have " << buckets.size() << " final buckets at its end, but has " << told;
  return success();
}
