//===- EmitObject.cpp - optimize LLVM IR and write machine code ---------------===//
#include "codegen/target/EmitObject.h"

#include "codegen/target/Optimize.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// Sets on each function what the code generator reads from there and not from the machine. Stack frames begin where a
/// whole vector may: LLVM decides on the frame before it knows what does not fit into registers, and vectors that lie
/// on the stack by 16 bytes alone cross cache lines, where loads and stores are slower.
static void setTarget(llvm::Module &module, const Target &target, const llvm::TargetMachine &machine,
                      bool checkAddresses) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    function.addFnAttr(llvm::Attribute::getWithStackAlignment(module.getContext(), llvm::Align(target.vectorBits / 8)));
    function.addFnAttr("no-trapping-math", "true");
    function.setDoesNotThrow();
    if (checkAddresses)
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
  }
}

LogicalResult stretto::codegen::emitMachineCode(ModuleOp module, const Target &target, OutputKind kind,
                                                llvm::raw_pwrite_stream &out, bool checkAddresses) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  UselessPasses useless;
  context.setOptPassGate(useless);
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context, "stretto");
  if (!llvmModule)
    return module.emitError("module must hold the LLVM dialect alone to become machine code");
  std::unique_ptr<llvm::TargetMachine> machine = target.createMachine();
  setTarget(*llvmModule, target, *machine, checkAddresses);
  optimize(*llvmModule, *machine, checkAddresses);
  if (kind == OutputKind::llvmIR) {
    llvmModule->print(out, nullptr);
    return success();
  }
  llvm::legacy::PassManager codegen;
  auto type = kind == OutputKind::object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (machine->addPassesToEmitFile(codegen, out, nullptr, type))
    return module.emitError("the code generator cannot write this kind of file for ") << target.triple;
  codegen.run(*llvmModule);
  return success();
}

LogicalResult stretto::codegen::emitObject(ModuleOp module, const Target &target, StringRef path) {
  llvm::SmallVector<char> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (failed(emitMachineCode(module, target, OutputKind::object, stream)))
    return failure();
  llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &out) {
    out.write(bytes.data(), bytes.size());
    return llvm::Error::success();
  });
  if (error)
    return module.emitError("cannot write ") << path << ": " << llvm::toString(std::move(error));
  return success();
}
