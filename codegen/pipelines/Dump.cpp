//===- Dump.cpp - every step of the compiler as a file ------------------------===//
#include "codegen/pipelines/Dump.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;

namespace {
class Dump : public PassInstrumentation {
public:
  Dump(ModuleOp module, StringRef folder, PassManager &passes) : module(module), folder(folder) {
    for (Pass &pass : passes.getPasses()) {
      order[&pass] = texts.size();
      llvm::raw_string_ostream os(texts.emplace_back());
      pass.printAsTextualPipeline(os);
    }
  }

  std::string start() {
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return error.message();
    counts = countOperations();
    return write("start", "the module as the front end made it", "", 0);
  }

  void runBeforePass(Pass *, Operation *) override { before.emplace(module); }

  void runAfterPass(Pass *pass, Operation *) override {
    auto place = order.find(pass);
    if (place == order.end() || !before || *before == OperationFingerPrint(module))
      return;
    auto now = countOperations();
    write(pass->getArgument(), pass->getDescription(), difference(counts, now), place->second + 1);
    counts = std::move(now);
  }

private:
  using Counts = std::map<std::string, int64_t>;

  Counts countOperations() {
    Counts result;
    module->walk([&](Operation *op) { ++result[op->getName().getStringRef().str()]; });
    return result;
  }

  /// "+2 kern.rowwise, -7 arith.mulf".
  static std::string difference(const Counts &old, const Counts &now) {
    std::string text;
    auto add = [&](const std::string &name, int64_t change) {
      if (change)
        text += (text.empty() ? "" : ", ") + llvm::formatv("{0}{1} {2}", change > 0 ? "+" : "", change, name).str();
    };
    for (auto &[name, count] : now)
      add(name, count - (old.count(name) ? old.at(name) : 0));
    for (auto &[name, count] : old)
      if (!now.count(name))
        add(name, -count);
    return text.empty() ? "the same operations, changed" : text;
  }

  /// `done`: how many passes have run.
  std::string write(StringRef name, StringRef purpose, const std::string &change, size_t done) {
    std::string file = llvm::formatv("{0:D2}-{1}.mlir", number++, name);
    SmallString<128> path(folder);
    llvm::sys::path::append(path, file);
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return error.message();
    module->print(os, OpPrintingFlags().enableDebugInfo(/*enable=*/true, /*prettyForm=*/false));
    os << "\n";
    index += llvm::formatv("{0,-34} {1}\n{2}", file, purpose, change.empty() ? "" : "    " + change + "\n").str();
    goingOn += llvm::formatv("{0} --pass-pipeline='builtin.module({1})'\n", file,
                             llvm::join(ArrayRef(texts).drop_front(done), ","))
                   .str();
    return writeIndex();
  }

  std::string writeIndex() {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, "index.txt");
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return error.message();
    os << index << "\nTo go on from a file, give it to stretto-opt with the passes that follow:\n" << goingOn;
    return "";
  }

  ModuleOp module;
  std::string folder, index, goingOn;
  std::map<const Pass *, size_t> order; // the passes of the pipeline, in the order they run
  std::vector<std::string> texts;       // each with its options, as a pipeline is written
  int number = 0;
  Counts counts;
  std::optional<OperationFingerPrint> before;
};
} // namespace

std::string stretto::codegen::dumpEveryPass(PassManager &passes, ModuleOp module, StringRef folder) {
  auto dump = std::make_unique<Dump>(module, folder, passes);
  std::string error = dump->start();
  if (error.empty())
    passes.addInstrumentation(std::move(dump));
  return error;
}
