//===- Relief.cpp - kernels that spill registers are made in other ways --------===//
#include "codegen/cuda/binary/Relief.h"

#include "codegen/cuda/LaunchRegisters.h"
#include "codegen/cuda/Renewals.h"
#include "ir/kern/Attributes.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The attribute of a kernel that says how many of its blocks a multiprocessor must have registers for.
static constexpr StringLiteral residentBlocks = "nvvm.minctasm";

/// From renewal to renewal.
static constexpr int64_t stepsTried[] = {0, 10, 5, 3, 2};

static int64_t blocksOf(LLVM::LLVMFuncOp kernel) {
  auto blocks = kernel->getAttrOfType<IntegerAttr>(residentBlocks);
  return blocks ? blocks.getInt() : 0;
}

/// Whether the threads of so many blocks have all the registers that a thread can have.
static bool hasAllRegisters(LLVM::LLVMFuncOp kernel, int64_t blocks) {
  int64_t threads = kernel->getAttrOfType<IntegerAttr>(kern::blockAttr).getInt();
  return blocks > 0 && mostLaunchRegisters(blocks * threads) == mostLaunchRegisters(1);
}

/// Asked for nothing, ptxas may keep a kernel to a quarter of the registers that one block can have.
static int64_t fewer(int64_t blocks) { return blocks > 4 ? blocks / 2 : std::max<int64_t>(blocks - 1, 1); }

Relief::Search::Search(LLVM::LLVMFuncOp kernel) : kernel(kernel) {
  bool mayChoose = hasRenewals(kernel) && !kernel->hasAttr(renewedStepsAttr);
  SmallVector<int64_t> steps{renewedStepsOf(kernel)};
  if (mayChoose)
    steps.assign(std::begin(stepsTried), std::end(stepsTried));
  bool isLimited = kernel->hasAttr("nvvm.maxnreg");
  for (int64_t blocks = blocksOf(kernel);; blocks = fewer(blocks)) {
    for (int64_t each : steps)
      ways.push_back({blocks, each});
    if (blocks == 1 || isLimited || hasAllRegisters(kernel, blocks))
      break;
  }
  if (mayChoose)
    choose(0);
}

void Relief::Search::choose(size_t way) {
  chosen = way;
  if (ways[way].blocks != 0)
    kernel->setAttr(residentBlocks, IntegerAttr::get(IntegerType::get(kernel.getContext(), 32), ways[way].blocks));
  if (hasRenewals(kernel))
    setRenewedSteps(kernel, ways[way].steps);
}

bool Relief::Search::change(int64_t spilled) {
  if (chosen != spills.size()) // the search has ended
    return false;
  spills.push_back(spilled);
  if (spilled == 0)
    return false;
  bool isLast = spills.size() == ways.size();
  size_t before = chosen;
  choose(isLast ? std::distance(spills.begin(), llvm::min_element(spills)) : chosen + 1);
  return chosen != before;
}

void Relief::Search::report() const {
  if (chosen == 0)
    return;
  const Way &way = ways[chosen], &first = ways.front();
  SmallVector<std::string> parts;
  if (way.blocks != first.blocks)
    parts.push_back(llvm::formatv("a multiprocessor has registers for {0} of its blocks", way.blocks));
  if (way.steps != first.steps)
    parts.push_back(llvm::formatv("addresses are computed anew every {0} steps", way.steps));
  std::string text =
      llvm::formatv("{0}: otherwise {1} bytes of registers spill", llvm::join(parts, ", "), spills.front());
  LLVM::LLVMFuncOp op = kernel;
  remark::passed(op.getLoc(), remark::RemarkOpts::name("Relief").category("registers").function(nameOf(op))) << text;
}

Relief::Relief(gpu::GPUModuleOp module) {
  for (LLVM::LLVMFuncOp kernel : kernelsOf(module))
    kernels.insert({kernel, Search(kernel)});
}

SmallVector<LLVM::LLVMFuncOp> Relief::change(ArrayRef<KernelCost> costs) {
  SmallVector<LLVM::LLVMFuncOp> changed;
  for (const KernelCost &cost : costs)
    if (kernels.find(cost.kernel)->second.change(cost.spills))
      changed.push_back(cost.kernel);
  return changed;
}

void Relief::report() const {
  for (auto &[kernel, search] : kernels)
    search.report();
}
