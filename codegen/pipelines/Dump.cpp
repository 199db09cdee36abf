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

/// Writes a file. Returns an error text, or an empty one.
static std::string writeText(StringRef path, StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return error.message();
  os << text;
  os.close();
  error = os.error();
  os.clear_error(); // else it aborts the process
  return error ? error.message() : "";
}

namespace {
class Dump : public PassInstrumentation {
public:
  Dump(ModuleOp module, StringRef folder, PassManager &passes, std::string &problem)
      : module(module), folder(folder), problem(problem) {
    for (Pass &pass : passes.getPasses()) {
      order[&pass] = texts.size();
      llvm::raw_string_ostream os(texts.emplace_back());
      pass.printAsTextualPipeline(os);
    }
  }

  void start() {
    if (std::error_code error = llvm::sys::fs::create_directories(folder)) {
      problem = error.message();
      return;
    }
    counts = countOperations();
    write("start", "the module as the front end made it", "", 0);
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

  /// Writes the module and the index, as long as that goes well. `done`: how many passes have run.
  void write(StringRef name, StringRef purpose, const std::string &change, size_t done) {
    std::string file = llvm::formatv("{0:D2}-{1}.mlir", number++, name);
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os, OpPrintingFlags().enableDebugInfo(/*enable=*/true, /*prettyForm=*/false));
    os << "\n";
    index += llvm::formatv("{0,-34} {1}\n{2}", file, purpose, change.empty() ? "" : "    " + change + "\n").str();
    goingOn += llvm::formatv("{0} --pass-pipeline='builtin.module({1})'\n", file,
                             llvm::join(ArrayRef(texts).drop_front(done), ","))
                   .str();
    keep(file, text);
    keep("index.txt",
         index + "\nTo go on from a file, give it to stretto-opt with the passes that follow:\n" + goingOn);
  }

  void keep(StringRef file, StringRef text) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, file);
    if (problem.empty())
      problem = writeText(path, text);
  }

  ModuleOp module;
  std::string folder, index, goingOn;
  std::map<const Pass *, size_t> order; // the passes of the pipeline, in the order they run
  std::vector<std::string> texts;       // each with its options, as a pipeline is written
  int number = 0;
  Counts counts;
  std::optional<OperationFingerPrint> before;
  std::string &problem; // what went wrong first
};
} // namespace

void stretto::codegen::dumpEveryPass(PassManager &passes, ModuleOp module, StringRef folder, std::string &problem) {
  auto dump = std::make_unique<Dump>(module, folder, passes, problem);
  dump->start();
  passes.addInstrumentation(std::move(dump));
}
