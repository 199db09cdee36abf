//===- DescribeProgram.cpp - the work and the memory of a planned module ----------===//
#include "codegen/facts/DescribeProgram.h"

#include "codegen/facts/Costs.h"
#include "codegen/memory/Buckets.h"
#include "codegen/memory/Entries.h"
#include "codegen/memory/Timeline.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/Kernels.h"
#include "ir/seq/EntryNames.h"
#include "ir/seq/ModelFacts.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/TensorBytes.h"
#include "passes/support/Scans.h"

#include <numeric>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// Matmuls that mix rows are those of attention, which the runtime's library computes, and of mixers, which are
/// kernels.
WorkKind kindOf(Operation *op) {
  if (matmulKind(op) == seq::MatmulKind::none)
    return WorkKind::memory;
  if (!cast<seq::LibraryOp>(op).mixesRows())
    return WorkKind::matmul;
  return kern::isKernel(op) ? WorkKind::mixer : WorkKind::attention;
}

std::string typeOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(op->getOperand(0).getType());
  return text;
}

/// Adds what the operations of a function do; `runs`: how often it runs.
void addWork(func::FuncOp function, int64_t runs, llvm::function_ref<std::vector<Work> &(Operation *)> listOf) {
  for (Operation &op : function.getBody().front()) {
    const Cost cost = costOf(&op);
    if (cost.bytes == 0)
      continue;
    const WorkKind kind = kindOf(&op);
    Work work{kind, matmulKind(&op) == seq::MatmulKind::backward, "", 0, cost.bytes, runs};
    if (kind != WorkKind::memory) {
      work.type = typeOf(&op);
      work.flops = matmulFlops(&op);
    }
    listOf(&op).push_back(std::move(work));
  }
}

bool holdsLoss(func::FuncOp function) {
  return llvm::any_of(function.getBody().front(), [](Operation &op) { return op.hasAttr(lossAttr); });
}

bool goesBackward(Operation &op) { return matmulKind(&op) == seq::MatmulKind::backward; }

/// The first operation of an entry that is no more forward: what compares the logits with targets, or the scan it is
/// in, the last one that does before there are gradients. Null where nothing does.
Operation *endOfForward(func::FuncOp entry) {
  Operation *end = nullptr;
  for (Operation &op : entry.getBody().front()) {
    auto scan = dyn_cast<seq::ScanOp>(&op);
    if (op.hasAttr(lossAttr) || (scan && holdsLoss(passes::bodyOf(scan))))
      end = &op;
    if (goesBackward(op) || (scan && llvm::any_of(passes::bodyOf(scan).getBody().front(), goesBackward)))
      break;
  }
  return end;
}

void addTraining(func::FuncOp entry, StepWork &work) {
  const Timeline timeline(entry);
  Operation *end = endOfForward(entry);
  for (func::FuncOp function : timeline.functions()) {
    seq::ScanOp caller = timeline.caller(function);
    auto isForward = [&](Operation *op) {
      Operation *inEntry = caller ? caller.getOperation() : op;
      return !end || inEntry->isBeforeInBlock(end);
    };
    addWork(function, caller ? static_cast<int64_t>(caller.getTrips()) : 1,
            [&](Operation *op) -> std::vector<Work> & { return isForward(op) ? work.forward : work.backward; });
  }
}

/// Entry points of the optimizer, by the names that the ABI has for them.
void addOptimizer(ModuleOp module, StepWork &work) {
  const std::pair<StringRef, std::vector<Work> *> entries[] = {{entryname::squares, &work.update},
                                                               {entryname::apply, &work.update},
                                                               {entryname::norm, &work.norm},
                                                               {entryname::roundParameters, &work.round},
                                                               {entryname::accumulate, &work.accumulate},
                                                               {entryname::takeAccumulated, &work.take}};
  for (auto [name, list] : entries)
    if (auto entry = module.lookupSymbol<func::FuncOp>(name))
      addWork(entry, 1, [list = list](Operation *) -> std::vector<Work> & { return *list; });
}

/// Rows of the flat arenas that are not cut: chunks of all kernels that are launched on parts of them begin and end
/// there.
int64_t rowsOfPiece(ModuleOp module) {
  int64_t rows = 1;
  for (auto entry : module.getOps<func::FuncOp>())
    for (Operation &op : entry.getBody().front())
      if (int64_t chunk = chunkRowsOf(&op, entry))
        rows = std::lcm(rows, chunk);
  return rows;
}

/// The part of the matmuls and attention of the backward that comes behind each bucket.
void tellWhatComesAfter(const ReadyRuns &ready, std::vector<PlannedBucket> &buckets) {
  const double backward = ready.flops - ready.flopsForward;
  for (const ReadyRun &run : llvm::reverse(ready.runs))
    for (int64_t i = 0; i < kern::ReadyOp(run.op).getBuckets()[run.iteration]; ++i)
      buckets[i].after = std::clamp((ready.flops - run.flops) / std::max(1.0, backward), 0.0, 1.0);
}

void addMemory(ModuleOp module, PlannedProgram &program) {
  const passes::ParameterLayout layout = passes::layoutParameters(module);
  program.trainableBytes = layout.trainableBytes;
  const int64_t rows = rowsOfPiece(module);
  program.pieceBytes = rows * layout.flatRowBytes();
  program.sumBytes = rows * elementBytes(layout.elementType);
  auto arenas = module->getAttrOfType<DenseI64ArrayAttr>(kern::arenasAttr);
  for (auto [i, bytes] : llvm::enumerate(arenas.asArrayRef()))
    switch (static_cast<kern::Arena>(i)) {
    case kern::Arena::parameters:
      program.parameterBytes = bytes;
      break;
    case kern::Arena::rounded:
      program.roundedBytes = bytes;
      break;
    case kern::Arena::activations:
      program.activationBytes = bytes;
      break;
    case kern::Arena::factors:
      program.factorsBytes = bytes;
      break;
    case kern::Arena::squares:
      program.squaresBytes = bytes;
      break;
    case kern::Arena::gradients: // in the activations
    case kern::Arena::moment1:   // of which a rank holds its part
    case kern::Arena::moment2:
    case kern::Arena::accumulator: // only where gradients are accumulated
      break;
    default:
      program.otherBytes += bytes;
    }
}
void addBuckets(ModuleOp module, PlannedProgram &program) {
  const passes::ParameterLayout layout = passes::layoutParameters(module);
  const int64_t rowBytes = layout.flatRowBytes();
  for (kern::BucketAttr bucket : bucketsOf(module))
    program.buckets.push_back({bucket.getFirst() * rowBytes, bucket.getRows() * rowBytes, 0});
  for (func::FuncOp entry : entryFunctions(module))
    if (isEntry(entry, seq::EntryKind::training))
      tellWhatComesAfter(readyRuns(entry, layout), program.buckets);
}
} // namespace

PlannedProgram stretto::codegen::describeProgram(ModuleOp module) {
  PlannedProgram program;
  program.batch = countOf(module, batchAttr);
  program.length = countOf(module, lengthAttr);
  for (auto function : module.getOps<func::FuncOp>())
    if (isEntry(function, seq::EntryKind::training))
      addTraining(function, program.work);
  addOptimizer(module, program.work);
  addMemory(module, program);
  addBuckets(module, program);
  return program;
}
