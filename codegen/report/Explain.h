//===- Explain.h - the compiler's decisions beside the source -----------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <vector>

namespace stretto::codegen {

/// One remark of a pass.
struct Decision {
  enum Kind { passed, missed, failed, analysis } kind;
  std::string file, category, name, function, text, reason, suggestion;
  std::string operation; // what the source calls what the remark is about; may be empty
  unsigned line = 0, column = 0;
  std::vector<std::pair<std::string, std::string>> numbers; // metrics: name and value
};

/// Collects every remark of a context from now on; the list outlives the context's passes.
std::shared_ptr<std::vector<Decision>> collectDecisions(mlir::MLIRContext &context);

/// How often the functions of a module run in one run of their entry point, by name; 0 for those of evaluation, which
/// are the forward part of the gradient step again, with nothing to save.
llvm::StringMap<int64_t> runsOfFunctions(mlir::ModuleOp module);

/// Prints under each line of the source what became of it: kernels with the bytes they move and would move unfused,
/// what keeps kernels from being fused, what is saved for the backward or recomputed; then totals. `sources`: texts by
/// file name.
void printDecisions(llvm::ArrayRef<Decision> decisions, const llvm::StringMap<std::string> &sources,
                    const llvm::StringMap<int64_t> &runs, llvm::raw_ostream &os);

} // namespace stretto::codegen
