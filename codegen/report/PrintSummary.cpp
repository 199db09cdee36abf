//===- PrintSummary.cpp - the summary of a program as a table ------------------===//
#include "codegen/report/PrintSummary.h"

#include "llvm/Support/Format.h"
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

static void printCaches(const Summary &summary, llvm::raw_ostream &os) {
  if (summary.caches.empty())
    return;
  os << llvm::formatv("\n{0,-32} {1,6} {2,14}  {3}\n", "cache", "layers", "bytes", "of");
  for (const CacheSummary &cache : summary.caches)
    os << llvm::formatv("{0,-32} {1,6} {2,14}  {3}\n", cache.block, cache.layers, cache.bytes, cache.operation);
}

/// A loss with terms beside the negative log-likelihood n; z is the log-sum-exp of the logits.
static void printLoss(llvm::raw_ostream &os, LossTerms terms) {
  if (terms.nllSquare == 0 && terms.zLoss == 0)
    return;
  os << "\nloss of a token: n";
  for (auto [coefficient, term] : {std::pair(terms.nllSquare, "n"), {terms.zLoss, "z"}})
    if (coefficient != 0)
      os << llvm::format(" + %g %s^2", coefficient, term);
  os << "; n: negative log-likelihood" << (terms.zLoss != 0 ? ", z: log-sum-exp of the logits\n" : "\n");
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
                          : name == "gradients" ? "  (in the activations)"
                                                : "");
  os << llvm::formatv("  {0,-14} {1,14} bytes  (a run adds its libraries and batches)\n", "planned", summary.planned);
  printCaches(summary, os);
  if (summary.masksDocuments)
    os << "\npacked documents are masked; FLOPs of attention as if a sequence were one document\n";
  if (summary.lacksPlaces)
    os << "\nthe IR lacks places in the spec, which tell blocks apart: work may stand in the row of another block, or "
          "under "
          "model (--locations keeps them in what --emit prints)\n";
  printLoss(os, summary.loss);
}
