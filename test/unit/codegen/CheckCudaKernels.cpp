//===- CheckCudaKernels.cpp - the CUDA kernels of compiled models, each by itself -----------===//
//
//   stretto-check-cuda-kernels FILE...     modules at the phase `kernels`, for CUDA
//
// Runs each distinct kernel of the files on the emulator, with its schedule, and compares it with what its operation
// means (checkKernel). Prints how many there were; ends with status 1 where one differs.
#include "CudaLibrary.h"

#include "codegen/cuda/KernelFunction.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

namespace {
/// A module with a function for each distinct kernel.
class Collection {
public:
  explicit Collection(MLIRContext &context) : kernels(ModuleOp::create(UnknownLoc::get(&context))) {}
  void add(ModuleOp module, StringRef file);
  ModuleOp all() { return *kernels; }

private:
  std::string describe(Operation *kernel);

  OwningOpRef<ModuleOp> kernels;
  llvm::StringSet<> seen;
};
} // namespace

/// All but the names of the kernel and of its operands, and where values lie.
std::string Collection::describe(Operation *kernel) {
  OwningOpRef<Operation *> plain(kernel->clone());
  (*plain)->removeAttr("kern.slots");
  kern::setKernelName(*plain, "");
  std::string text;
  llvm::raw_string_ostream out(text);
  out << (*plain)->getOperandTypes() << **plain;
  return text;
}

void Collection::add(ModuleOp module, StringRef file) {
  for (Operation *op : kernelsOf(module)) {
    if (!seen.insert(describe(op)).second)
      continue;
    OpBuilder b = OpBuilder::atBlockEnd(kernels->getBody());
    std::string name = llvm::formatv("{0}.{1}", file, kern::kernelNameOf(op).getValue());
    auto function = func::FuncOp::create(b, op->getLoc(), name, b.getFunctionType(op->getOperandTypes(), {}));
    b.setInsertionPointToEnd(function.addEntryBlock());
    Operation *copy = b.clone(*op);
    copy->setOperands(function.getArguments());
    kern::setKernelName(copy, name);
    func::ReturnOp::create(b, op->getLoc());
  }
}

static int check(ModuleOp module) {
  CudaLibrary library(module);
  if (!library.isLoaded())
    return 1;
  uint64_t seed = 1;
  int wrong = 0;
  SmallVector<Operation *> kernels = kernelsOf(module);
  for (Operation *kernel : kernels)
    if (std::string problems = checkKernel(kernel, library, seed += 100); !problems.empty()) {
      llvm::errs() << problems;
      ++wrong;
    }
  llvm::outs() << llvm::formatv("{0} kernels, {1} of them wrong\n", kernels.size(), wrong);
  return wrong != 0;
}

int main(int count, char **files) {
  auto context = makeContext();
  Collection collection(*context);
  for (int i = 1; i < count; ++i) {
    auto text = llvm::MemoryBuffer::getFile(files[i]);
    OwningOpRef<ModuleOp> module = text ? parse(*context, (*text)->getBuffer()) : nullptr;
    if (!module) {
      llvm::errs() << "cannot read '" << files[i] << "'\n";
      return 1;
    }
    collection.add(*module, llvm::sys::path::stem(files[i]));
  }
  return check(collection.all());
}
