//===- EmulatedKernels.cpp - CUDA kernels compiled for the emulator and loaded ---===//
#include "EmulatedKernels.h"

#include "codegen/emulator/Passes.h"
#include "codegen/target/EmitObject.h"
#include "ir/kern/KernOps.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

/// The module that is left for the CPU; null where something fails.
static OwningOpRef<ModuleOp> emulate(MLIRContext &context, const std::string &text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context);
  passes.addPass(createEmulateCudaKernels());
  if (module && failed(passes.run(*module)))
    module = nullptr;
  return module;
}

EmulatedKernels::EmulatedKernels(const std::string &text) {
  DialectRegistry registry;
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, gpu::GPUDialect, kern::KernDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = emulate(context, text);
  auto target = Target::resolve("native", [](const llvm::Twine &message) { llvm::errs() << message << "\n"; });
  if (!module || failed(target))
    return;
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    if (auto chunks = function->getAttrOfType<IntegerAttr>("kern.chunks"))
      blocks[function.getName().str()] = chunks.getInt();
  llvm::SmallString<64> path;
  llvm::sys::fs::createUniqueDirectory("stretto-emulated", path);
  folder = path.str().str();
  std::string library = folder + "/kernels.so", object = folder + "/kernels.o";
  auto linker = llvm::sys::findProgramByName("cc");
  if (failed(emitObject(*module, *target, object)) || !linker ||
      llvm::sys::ExecuteAndWait(*linker, {"cc", "-shared", "-o", library, object, "-lm"}) != 0)
    return;
  handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
}

EmulatedKernels::~EmulatedKernels() {
  if (handle)
    dlclose(handle);
  llvm::sys::fs::remove_directories(folder);
}

stretto_kernel_fn EmulatedKernels::entry(const std::string &kernel) const {
  return reinterpret_cast<stretto_kernel_fn>(dlsym(handle, kernel.c_str()));
}

void EmulatedKernels::launch(const std::string &kernel, const std::vector<void *> &buffers, int64_t calls) const {
  stretto_kernel_fn function = entry(kernel);
  const int64_t count = blocks.at(kernel);
  for (int64_t call = 0; call < calls; ++call)
    function(buffers.data(), count * call / calls, count * (call + 1) / calls, nullptr);
}

std::vector<std::string> EmulatedKernels::undefinedNames() const {
  auto file = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(folder + "/kernels.o"));
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef &symbol : file.getBinary()->symbols())
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)
      if (llvm::StringRef name = llvm::cantFail(symbol.getName()); !name.empty())
        names.push_back(name.str());
  return names;
}

std::string stretto::test::with(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}
