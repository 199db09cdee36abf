//===- Stages.cpp - IR that was printed, edited and is to be continued ----===//
#include "tools/stretto-compile/Stages.h"

#include "ir/kern/Attributes.h"
#include "ir/kern/Kernels.h"
#include "ir/seq/LossTerms.h"
#include "tools/stretto-compile/Shape.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MD5.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::tools;

bool stretto::tools::isStageFile(StringRef path) { return path.ends_with(".mlir"); }

/// Options that only mean something while a spec is read; empty where none is given.
static std::string specOption(const CommandLine &line) {
  if (!line.overrides.empty())
    return "--set";
  if (!line.model.empty())
    return "--model";
  if (!line.importFolders.empty())
    return "-I";
  if (line.maskDocuments)
    return "--mask-documents";
  if (line.nllSquare)
    return "--nll-square";
  if (line.zLoss)
    return "--z-loss";
  return line.dtype != CommandLine().dtype ? "--dtype" : "";
}

/// Schedules are for one target; behind the kernels' last stage also what runs them is fixed.
static std::string checkTarget(const Stage &stage, const CommandLine &line) {
  auto attribute = stage.module.get()->getAttrOfType<StringAttr>(kern::targetAttr);
  if (!attribute || !stage.phase || *stage.phase < codegen::Phase::kernels)
    return "";
  StringRef made = attribute.getValue(), target = made.split('-').first;
  bool fits = *stage.phase == codegen::Phase::llvm ? made == line.backend->programTarget(line.settings)
                                                   : target == line.backend->name();
  if (fits)
    return "";
  StringRef emulate = made == target ? "" : " --emulate";
  return llvm::formatv("'{0}' was made for --target={1}{2}, but got --target={3}{4}", line.spec, target, emulate,
                       line.backend->name(), line.settings.emulate ? " --emulate" : "");
}

static std::string checkStage(const Stage &stage, const CommandLine &line) {
  if (std::string option = specOption(line); !option.empty())
    return llvm::formatv("{0} belongs to a spec, but got the IR '{1}': change the spec and print the stage again",
                         option, line.spec);
  if (line.emit == "ast" || line.emit == "pytorch")
    return llvm::formatv("--emit={0} needs a spec, but got the IR '{1}'", line.emit, line.spec);
  if (!line.schedules.empty() && stage.phase >= codegen::Phase::kernels)
    return llvm::formatv(
        "--kernel-schedule must come before kernels have schedules, but '{0}' is at the stage '{1}': go on from "
        "an earlier one, like fused",
        line.spec, stage.name());
  auto rank = [](StringRef name) {
    int rank = 1;
    for (codegen::Phase phase : codegen::allPhases) {
      if (name == codegen::nameOf(phase))
        return rank;
      ++rank;
    }
    return name == "seq" ? 0 : rank; // behind all phases: asm, object, or a program
  };
  std::string wanted = line.command != Command::compile ? (line.backend->hasDeviceCode() ? "nvvm" : "kernels")
                       : line.printsDeviceCode()        ? "nvvm"
                                                        : line.emit;
  if (rank(stage.name()) > rank(wanted))
    return llvm::formatv("'{0}' must be at the stage '{1}' or before it, but is at '{2}'", line.spec, wanted,
                         stage.name());
  return checkTarget(stage, line);
}

std::optional<Stage> stretto::tools::readStage(MLIRContext &context, const CommandLine &line, std::string &error) {
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(line.spec, status) && !llvm::sys::fs::is_regular_file(status)) {
    error = llvm::formatv("cannot read '{0}': it must be a regular file", line.spec);
    return std::nullopt;
  }
  auto buffer = llvm::MemoryBuffer::getFile(line.spec, /*IsText=*/true);
  if (!buffer) {
    error = llvm::formatv("cannot read '{0}': {1}", line.spec, buffer.getError().message());
    return std::nullopt;
  }
  llvm::MD5 digest;
  digest.update((*buffer)->getBuffer());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  Stage stage{parseSourceFile<ModuleOp>(sources, &context), std::nullopt, std::string(digest.final().digest())};
  if (!stage.module)
    return std::nullopt;
  stage.phase = codegen::phaseOf(*stage.module);
  if (!codegen::holdsModel(*stage.module)) {
    error = llvm::formatv(
        "'{0}' must hold a model: a function 'main' as --emit=seq prints it, or what a later stage makes of it",
        line.spec);
    return std::nullopt;
  }
  if (codegen::findUnfinished(*stage.module)) {
    error = llvm::formatv(
        "'{0}' must be at the end of a stage, but is in the middle of one: go on with stretto-opt, as the index of "
        "--dump-ir tells",
        line.spec);
    return std::nullopt;
  }
  kern::dropResources(*stage.module); // it may have been edited
  error = checkStage(stage, line);
  return error.empty() ? std::optional(std::move(stage)) : std::nullopt;
}

std::string stretto::tools::checkShape(ModuleOp module, const CommandLine &line) {
  std::string error;
  std::optional<TokenShape> wanted = resolveShape(line, error);
  if (!wanted)
    return error;
  auto check = [&](bool given, StringRef name, int64_t number) {
    auto has = module->getAttrOfType<IntegerAttr>(("seq." + name).str());
    if (error.empty() && given && has && has.getInt() != number)
      error =
          llvm::formatv("'{0}' was made for {1} {2}, but got {3}: change the spec's options and print the stage again",
                        line.spec, name, has.getInt(), number);
  };
  bool task = !line.task.empty();
  check(task || line.batch, "batch", wanted->batch);
  check(task || line.length, "length", wanted->length);
  check(task || line.vocabulary, "vocabulary", wanted->vocabulary);
  auto checkTerm = [&](StringRef name, double has, std::optional<double> asked) {
    if (error.empty() && asked && *asked != has)
      error = llvm::formatv("'{0}' was made for a loss with {1} {2}, but the recipe has {3}: change the spec's options "
                            "and print the stage again",
                            line.spec, name, llvm::format("%g", has), llvm::format("%g", *asked));
  };
  const LossTerms loss = lossTermsOf(module);
  checkTerm("nll_square", loss.nllSquare, wanted->nllSquare);
  checkTerm("z_loss", loss.zLoss, wanted->zLoss);
  return error;
}
