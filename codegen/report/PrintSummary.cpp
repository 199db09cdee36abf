//===- PrintSummary.cpp - the summary of a program as a table ------------------===//
#include "codegen/report/PrintSummary.h"

#include "llvm/Support/FormatVariadic.h"

using namespace stretto;
using namespace stretto::codegen;
using llvm::StringRef;

/// A number with a prefix of the SI: 1234567 is "1.23 M".
static std::string withPrefix(double value) {
  static constexpr std::pair<double, char> prefixes[] = {{1e12, 'T'}, {1e9, 'G'}, {1e6, 'M'}, {1e3, 'k'}};
  for (auto [unit, letter] : prefixes)
    if (value >= unit)
      return llvm::formatv("{0:f2} {1}", value / unit, letter);
  return llvm::formatv("{0:f0}", value);
}

static void printRow(llvm::raw_ostream &os, StringRef name, const BlockSummary &block) {
  os << llvm::formatv("{0,-32} {1,6} {2,14} {3,12} {4,12} {5,12}\n", name, block.layers, block.parameters,
                      withPrefix(block.flopsForward), withPrefix(block.flopsBackward), withPrefix(block.bytes));
}

void stretto::codegen::printSummary(const Summary &summary, llvm::raw_ostream &os) {
  os << llvm::formatv("{0,-32} {1,6} {2,14} {3,12} {4,12} {5,12}\n", "block", "layers", "parameters", "FLOP fwd",
                      "FLOP bwd", "bytes");
  for (auto &[name, block] : summary.blocks)
    printRow(os, name, block);
  printRow(os, "total", summary.total);
  os << "\nper micro-batch; FLOPs of matmuls, attention and mixers; bytes between memory and operations\n\nmemory\n";
  for (auto [name, bytes] : summary.arenas)
    if (bytes)
      os << llvm::formatv("  {0,-14} {1,14} bytes{2}\n", name, bytes,
                          name == "accumulator" ? "  (when gradients are accumulated)"
                          : name == "gradients" ? "  (the start of the activations)"
                                                : "");
  os << llvm::formatv("  {0,-14} {1,14} bytes\n", "planned", summary.planned);
  if (summary.masksDocuments)
    os << "\ndocuments of a row are kept apart; FLOPs of attention as if a row were one\n";
}
