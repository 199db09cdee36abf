//===- KernelTable.cpp - what the kernels take of the GPU, as a table -----===//
#include "codegen/cuda/binary/KernelTable.h"

#include "ir/kern/Attributes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

Multiprocessor Multiprocessor::of(const Chip &chip) {
  constexpr int64_t kib = 1024;
  switch (chip.version) {
  case 80:
    return {64, 32, 164 * kib};
  case 87:
    return {48, 16, 164 * kib};
  case 86:
  case 88:
    return {48, 16, 100 * kib};
  case 89:
  case 120:
  case 121:
    return {48, 24, 100 * kib};
  case 101:
  case 110:
    return {48, 24, 228 * kib};
  default: // 90, 100, 103
    return {64, 32, 228 * kib};
  }
}

int64_t Multiprocessor::warpsOf(int64_t threads, int64_t registersOfThread, int64_t shared) const {
  constexpr int64_t lanes = 32, registerUnit = 256, quarters = 4; // registers are given to warps, warps to quarters
  int64_t warpsOfBlock = llvm::divideCeil(threads, lanes);
  int64_t registersOfWarp = llvm::alignTo(std::max<int64_t>(registersOfThread, 1) * lanes, registerUnit);
  int64_t warpsByRegisters = registers / quarters / registersOfWarp * quarters;
  int64_t fitting = std::min(
      {blocks, warps / warpsOfBlock, warpsByRegisters / warpsOfBlock, sharedBytes / (shared + sharedOfSystem)});
  return fitting * warpsOfBlock;
}

void stretto::codegen::printKernelTable(ArrayRef<KernelCost> costs, const Chip &chip, llvm::raw_ostream &os) {
  Multiprocessor multiprocessor = Multiprocessor::of(chip);
  size_t width = StringRef("kernel").size();
  for (const KernelCost &cost : costs)
    width = std::max(width, nameOf(cost.kernel).size());
  auto line = [&](auto name, auto grid, auto block, auto registers, auto spills, auto shared, auto warps) {
    os << llvm::left_justify(name, width)
       << llvm::formatv("  {0,13}  {1,5}  {2,9}  {3,6}  {4,6}  {5,5}\n", grid, block, registers, spills, shared, warps);
  };
  os << "\nkernels on " << chip.name
     << " (registers of a thread, spilled bytes of a thread, shared bytes of a block, warps of " << multiprocessor.warps
     << " that run at a time)\n";
  line(StringRef("kernel"), "grid", "block", "registers", "spills", "shared", "warps");
  for (const KernelCost &cost : costs) {
    LLVM::LLVMFuncOp kernel = cost.kernel;
    auto grid = kernel->getAttrOfType<DenseI64ArrayAttr>(kern::gridAttr);
    int64_t block = kernel->getAttrOfType<IntegerAttr>(kern::blockAttr).getInt();
    line(nameOf(kernel), llvm::formatv("{0} x {1}", grid[0], grid[1]).str(), block, cost.registers, cost.spills,
         cost.allShared(), multiprocessor.warpsOf(block, cost.registers, cost.allShared()));
  }
}
