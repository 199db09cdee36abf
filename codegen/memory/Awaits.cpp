//===- Awaits.cpp - weights that ranks hand out while a step begins -----------===//
#include "codegen/memory/Awaits.h"

#include "codegen/memory/Buckets.h"
#include "codegen/memory/Shadow.h"
#include "codegen/memory/Timeline.h"
#include "codegen/memory/Views.h"
#include "ir/kern/Slots.h"
#include "passes/support/Scans.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

AwaitedBuckets::AwaitedBuckets(ModuleOp module)
    : buckets(bucketsOf(module)), rowBytes(passes::layoutParameters(module).flatRowBytes()) {}

bool AwaitedBuckets::isWeight(Value value) {
  kern::Arena arena = kern::slotOf(value).getArena();
  return arena == kern::Arena::parameters || arena == kern::Arena::rounded;
}

SmallVector<Value> AwaitedBuckets::weightsOf(Operation *op) {
  if (isa<seq::AliasOp, seq::ScanOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return {};
  return llvm::filter_to_vector(op->getOperands(), isWeight);
}

int64_t AwaitedBuckets::neededFor(Value weight, int64_t iteration, bool inBody) const {
  kern::SlotAttr slot = kern::slotOf(weight);
  bool isRounded = slot.getArena() == kern::Arena::rounded; // half as many bytes, element for element
  Span span = spanOf(weight.getType(), slot, iteration, rowStride(weight), inBody ? 0 : slot.getStride());
  int64_t unit = isRounded ? rowBytes / 2 : rowBytes;
  int64_t first = span.begin() / unit, last = (span.end() - 1) / unit;
  for (auto [i, bucket] : llvm::enumerate(buckets))
    if (bucket.getFirst() <= last && first < bucket.getFirst() + bucket.getRows())
      return buckets.size() - i;
  return 0;
}

int64_t AwaitedBuckets::neededBy(Operation *op, int64_t iteration, bool inBody) const {
  int64_t needed = 0;
  for (Value weight : weightsOf(op))
    needed = std::max(needed, neededFor(weight, iteration, inBody));
  return needed;
}

namespace {
class Placing {
public:
  explicit Placing(func::FuncOp entry) : buckets(entry->getParentOfType<ModuleOp>()), entry(entry) {}

  void run() {
    for (Operation &op : llvm::make_early_inc_range(entry.getBody().front())) {
      if (auto scan = dyn_cast<seq::ScanOp>(op))
        inBody(scan);
      else if (int64_t needed = buckets.neededBy(&op, 0, false); needed > come)
        insert(&op, come = needed);
    }
  }

private:
  static void insert(Operation *place, ArrayRef<int64_t> counts) {
    OpBuilder b(place);
    kern::AwaitOp::create(b, place->getLoc(), b.getDenseI64ArrayAttr(counts));
  }

  void inBody(seq::ScanOp scan) {
    SmallVector<std::pair<Operation *, Value>> reads; // of an iteration
    for (Operation &op : passes::bodyOf(scan).getBody().front())
      for (Value weight : AwaitedBuckets::weightsOf(&op))
        reads.emplace_back(&op, weight);
    if (reads.empty())
      return;
    auto *first = reads.end();
    SmallVector<int64_t> counts(scan.getTrips());
    int64_t before = come, trips = scan.getTrips();
    for (int64_t step = 0; step < trips; ++step) {
      int64_t iteration = scan.getIteration(step);
      for (auto *read = reads.begin(); read != reads.end(); ++read)
        if (int64_t needed = buckets.neededFor(read->second, iteration, true)) {
          come = std::max(come, needed);
          first = std::min(first, read);
        }
      counts[iteration] = come;
    }
    if (come > before)
      insert(first->first, counts);
  }

  AwaitedBuckets buckets;
  func::FuncOp entry;
  int64_t come = 0;
};
} // namespace

void stretto::codegen::placeAwaits(func::FuncOp entry) { Placing(entry).run(); }
