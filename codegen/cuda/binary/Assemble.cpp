//===- Assemble.cpp - from PTX to machine code and its text ---------------===//
#include "codegen/cuda/binary/Assemble.h"

#include "codegen/cuda/binary/Kernels.h"
#include "codegen/cuda/binary/Process.h"
#include "passes/support/Refusal.h"

#include <future>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

/// The kernel that starts on a line of PTX (`.visible .entry name(`); empty where none does.
static StringRef entryOf(StringRef line) {
  return line.contains(".entry ") ? line.split(".entry ").second.take_until([](char c) { return c == '('; }).trim()
                                  : "";
}

/// Calls `visit(line, kernel)` for each line, with the kernel it belongs to (empty before the first).
static void forEachLine(StringRef ptx, llvm::function_ref<void(StringRef, StringRef)> visit) {
  StringRef kernel;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (StringRef entry = entryOf(line); !entry.empty())
      kernel = entry;
    visit(line, kernel);
    ptx = rest;
  }
}

llvm::StringMap<int64_t> stretto::codegen::localArrays(StringRef ptx) {
  llvm::StringMap<int64_t> bytes;
  forEachLine(ptx, [&](StringRef line, StringRef kernel) {
    int64_t size = 0;
    StringRef declaration = line.trim();
    if (declaration.consume_front(".local ") && !declaration.split('[').second.consumeInteger(10, size))
      bytes[kernel] += size;
  });
  return bytes;
}

namespace {
/// What ptxas wrote, line by line, with the kernel each line is about.
class Messages {
public:
  Messages(gpu::GPUModuleOp module, StringRef ptx, StringRef chip) : module(module), chip(chip) {
    forEachLine(ptx, [&](StringRef, StringRef kernel) { kernelOfLine.push_back(kernel); });
    for (LLVM::LLVMFuncOp kernel : kernelsOf(module))
      kernels[kernel.getSymName()] = kernel;
  }

  /// Reports all of it. Returns whether there was an error among it.
  bool report(StringRef text) {
    bool hasError = false;
    SmallVector<StringRef> lines;
    text.split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines) {
      bool isNote = line.contains("info    :");
      if ((isNote && !isLoss(line)) || line.contains("aborted due to errors"))
        continue;
      bool isWarning = isNote || line.contains("warning :");
      hasError |= !isWarning;
      report(line, isWarning ? DiagnosticSeverity::Warning : DiagnosticSeverity::Error);
    }
    return hasError;
  }

private:
  /// A note whose number says that matmuls of warpgroups wait for each other.
  static bool isLoss(StringRef line) { return line.contains("(C75") || line.contains("(C76"); }

  /// A thread has too few registers for what a matmul of a warpgroup adds to.
  static bool isTooFewRegisters(StringRef line) { return line.contains("(C7602)"); }

  void report(StringRef line, DiagnosticSeverity severity) {
    LLVM::LLVMFuncOp kernel = kernelOf(line);
    Location place = kernel ? kernel.getLoc() : module.getLoc();
    InFlightDiagnostic diagnostic = severity == DiagnosticSeverity::Warning ? emitWarning(place) : emitError(place);
    if (kernel)
      diagnostic << "kernel '" << nameOf(kernel) << "': ";
    diagnostic << "ptxas for " << chip << " says: " << textOf(line);
    if (kernel && isTooFewRegisters(line))
      diagnostic.attachNote() << "a thread has registers for the sums of a tile where it has fewer columns or a block "
                                 "fewer warps: give other ones, as in --kernel-schedule '"
                              << nameOf(kernel) << ":strip=64,warps=3'";
  }

  /// By the line of PTX that a message names, or by the name of the kernel in it.
  LLVM::LLVMFuncOp kernelOf(StringRef line) {
    for (StringRef mark : {", line ", " at line "}) {
      StringRef number = line.split(mark).second;
      size_t index = 0;
      if (!number.consumeInteger(10, index) && index >= 1 && index <= kernelOfLine.size())
        return kernels.lookup(kernelOfLine[index - 1]);
    }
    SmallVector<StringRef> parts;
    line.split(parts, '\'');
    for (StringRef part : parts)
      if (LLVM::LLVMFuncOp kernel = kernels.lookup(part))
        return kernel;
    return {};
  }

  /// The message without the name of the program and of the temporary file.
  static StringRef textOf(StringRef line) {
    for (StringRef mark : {"error   :", "fatal   :", "warning :", "info    :"})
      if (size_t at = line.find(mark); at != StringRef::npos)
        return line.drop_front(at + mark.size()).trim();
    return line.trim();
  }

  gpu::GPUModuleOp module;
  StringRef chip;
  std::vector<StringRef> kernelOfLine;
  llvm::StringMap<LLVM::LLVMFuncOp> kernels;
};
} // namespace

FailureOr<std::string> stretto::codegen::assemble(gpu::GPUModuleOp module, StringRef ptx, const Chip &chip,
                                                  const Toolkit &toolkit, llvm::function_ref<void()> meanwhile) {
  ScratchFile input("ptx"), output("cubin");
  std::string problem = input.write(ptx);
  if (problem.empty())
    problem = output.problem;
  if (!problem.empty())
    return passes::refuseModel(module) << problem;
  std::string architecture = ("-arch=" + chip.name).str();
  auto running = std::async(std::launch::async, [&] {
    return runProgram(toolkit.ptxas, {architecture, "-O3", "-o", output.path, input.path});
  });
  meanwhile();
  Finished run = running.get();
  bool hasError = Messages(module, ptx, chip.name).report(run.output + run.errors);
  if (run.status == 0)
    return output.read();
  if (!hasError)
    return emitError(module.getLoc()) << "'" << toolkit.ptxas << "' failed on the kernels: " << run.problem;
  return failure();
}

std::string stretto::codegen::disassemble(StringRef cubin, const Toolkit &toolkit, std::string &text) {
  if (toolkit.nvdisasm.empty() && toolkit.cuobjdump.empty())
    return "machine code can be printed where nvdisasm or cuobjdump is found; the CUDA toolkit and the Python package "
           "triton bring them";
  ScratchFile input("cubin");
  if (std::string problem = input.write(cubin); !problem.empty())
    return problem;
  Finished run = toolkit.nvdisasm.empty() ? runProgram(toolkit.cuobjdump, {"-sass", input.path})
                                          : runProgram(toolkit.nvdisasm, {"-c", input.path});
  text = run.output;
  return run.status == 0 ? "" : "the disassembler failed: " + run.problem + " " + StringRef(run.errors).trim().str();
}
