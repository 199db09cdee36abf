//===- Facts.cpp - what the table of a program says ---------------------------===//
#include "codegen/facts/Costs.h"
#include "codegen/facts/Locations.h"
#include "codegen/facts/Summary.h"
#include "codegen/host/Sites.h"
#include "codegen/host/Tables.h"
#include "codegen/memory/Entries.h"
#include "codegen/memory/Timeline.h"
#include "codegen/memory/Views.h"
#include "ir/kern/Kernels.h"
#include "ir/kern/Slots.h"
#include "ir/seq/EntryNames.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/TensorBytes.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
class Collector {
public:
  explicit Collector(ModuleOp module) : module(module) {}

  LogicalResult run() {
    for (func::FuncOp entry : entryFunctions(module)) {
      Timeline timeline(entry);
      for (func::FuncOp function : timeline.functions()) {
        seq::ScanOp caller = timeline.caller(function);
        double runs = caller ? static_cast<double>(caller.getTrips()) : 1;
        for (Operation &op : function.getBody().front()) {
          if (failed(add(&op, entry)))
            return failure();
          if (isEntry(entry, seq::EntryKind::training))
            addFlops(&op, runs);
        }
      }
    }
    facts.plan = summaryJson(module);
    return success();
  }

  ProgramFacts facts;

private:
  LogicalResult add(Operation *op, func::FuncOp entry) {
    if (isa<seq::TableOp, seq::LayerNumbersOp>(op)) {
      auto place = kern::slotOf(op->getResult(0));
      if (llvm::none_of(facts.tables, [&](auto &known) { return known.slot == place; }))
        facts.tables.push_back({op, place});
    }
    StringAttr kernel = kern::kernelNameOf(op);
    return kernel ? addKernel(op, kernel.getValue(), entry) : success();
  }

  LogicalResult addKernel(Operation *op, StringRef name, func::FuncOp entry) {
    if (!isa_and_nonnull<LLVM::LLVMFuncOp, kern::DeviceKernelOp>(module.lookupSymbol(name)))
      return op->emitOpError() << "must name a kernel that exists as llvm.func or kern.device_kernel, but got '" << name
                               << "'";
    SmallVector<int64_t> bytes;
    for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector<6>(op->getResults())))
      bytes.push_back(spanBytes(value));
    auto [it, isNew] = facts.numbers.try_emplace(name, facts.kernels.size());
    if (entry.getName() == entryname::accumulate)
      facts.add = it->second;
    if (isNew) {
      firstUses.push_back(op);
      facts.kernels.push_back(
          {name.str(), sourceLocations(op->getLoc()), groupOf(op, entry).str(), bytes, chunkRowsOf(op, entry), {}});
      if (facts.kernels.back().chunkRows)
        facts.kernels.back().chunkBytes = chunkBytes(cast<kern::RowKernel>(op), facts.kernels.back().chunkRows);
      return success();
    }
    ArrayRef<int64_t> others = facts.kernels[it->second].bufferBytes;
    if (others == ArrayRef(bytes))
      return success();
    InFlightDiagnostic error = op->emitOpError() << "must give kernel '" << name << "' ";
    if (others.size() != bytes.size())
      error << others.size() << " buffers as its other uses do, but got " << bytes.size();
    else
      error << "buffers of the sizes that its other uses give it";
    error.attachNote(firstUses[it->second]->getLoc()) << "used here first";
    return error;
  }

  /// Bytes of each buffer that belong to a chunk of so many rows.
  static SmallVector<int64_t> chunkBytes(kern::RowKernel kernel, int64_t rows) {
    SmallVector<int64_t> bytes;
    auto ofRows = [&](Value value) { return rows * bytesOf(value) / kernel.getRows().second; };
    for (BlockArgument argument : kernel.getBody().getArguments())
      bytes.push_back(kernel.getMap(argument.getArgNumber()) == kern::RowMap::row
                          ? ofRows(kernel.getOperandOf(argument.getArgNumber())->get())
                          : 0);
    for (Value result : kernel->getResults())
      bytes.push_back(ofRows(result));
    return bytes;
  }

  /// What a kernel is counted under in profiles.
  static StringRef groupOf(Operation *op, func::FuncOp entry) {
    if (isEntry(entry, seq::EntryKind::optimizer))
      return "optimizer";
    if (auto library = dyn_cast<seq::LibraryOp>(op); library && !library.getProfileGroup().empty())
      return library.getProfileGroup();
    return op->hasAttr(lossAttr) ? "loss" : "rowwise";
  }

  void addFlops(Operation *op, double runs) {
    seq::MatmulKind kind = matmulKind(op);
    if (kind == seq::MatmulKind::forward)
      facts.flopsForward += runs * matmulFlops(op);
    if (kind == seq::MatmulKind::backward)
      facts.flopsBackward += runs * matmulFlops(op);
  }

  ModuleOp module;
  SmallVector<Operation *> firstUses; // of each kernel
};
} // namespace

FailureOr<ProgramFacts> stretto::codegen::collectFacts(ModuleOp module) {
  Collector collector(module);
  if (failed(collector.run()))
    return failure();
  return std::move(collector.facts);
}
