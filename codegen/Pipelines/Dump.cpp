//===- Dump.cpp - every step of the compiler as a file ------------------------===//
#include "codegen/Pipelines/Dump.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <map>

using namespace mlir;

namespace {
class Dump : public PassInstrumentation {
public:
  Dump(ModuleOp module, StringRef folder) : module(module), folder(folder) {}

  std::string start() {
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return error.message();
    counts = countOperations();
    return write("start", "the module as the front end made it", "");
  }

  void runBeforePass(Pass *, Operation *) override { before.emplace(module); }

  void runAfterPass(Pass *pass, Operation *) override {
    if (!before || *before == OperationFingerPrint(module) || pass->getArgument().empty())
      return;
    auto now = countOperations();
    write(pass->getArgument(), pass->getDescription(), difference(counts, now));
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

  std::string write(StringRef name, StringRef purpose, const std::string &change) {
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
    return writeIndex();
  }

  std::string writeIndex() {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, "index.txt");
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (error)
      return error.message();
    os << index;
    return "";
  }

  ModuleOp module;
  std::string folder, index;
  int number = 0;
  Counts counts;
  std::optional<OperationFingerPrint> before;
};
} // namespace

std::string stretto::dumpEveryPass(PassManager &passes, ModuleOp module, StringRef folder) {
  auto dump = std::make_unique<Dump>(module, folder);
  std::string error = dump->start();
  if (error.empty())
    passes.addInstrumentation(std::move(dump));
  return error;
}
