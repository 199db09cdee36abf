//===- WeightFactors.h - learning rates and weight decays of some weights -----===//
//
// A request is written NAMES=FACTOR,NAMES=FACTOR,...: weights by their names, `*` standing for any letters, and what
// their learning rate or weight decay is multiplied by, in place of what the spec says. Of those that a weight fits the
// last one counts.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/GlobPattern.h"

#include <string>
#include <vector>

namespace stretto::tools {

enum class FactorKind { learningRate, weightDecay };

struct FactorRequest {
  std::string names;
  llvm::GlobPattern pattern;
  double factor = 1;
};

/// Reads requests; on a mistake fills `error` ("must ...") and returns nothing.
std::vector<FactorRequest> readFactors(llvm::StringRef text, std::string &error);

/// Gives weights of a module their factors, and says there what was asked for. Returns what is wrong with the requests,
/// or nothing: each has to name a weight that is trained.
std::string setFactors(mlir::ModuleOp module, FactorKind kind, llvm::StringRef text);

} // namespace stretto::tools
