//===- Stages.cpp - IR that was printed, edited and is to be continued ----===//
#include "tools/stretto-compile/Stages.h"

#include "codegen/pipelines/MadeFor.h"
#include "ir/kern/Kernels.h"
#include "ir/seq/Documents.h"
#include "ir/seq/LossTerms.h"
#include "ir/seq/Purpose.h"
#include "tools/stretto-compile/PrintDiagnostic.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::tools;

bool stretto::tools::isStageFile(StringRef path) { return path.ends_with(".mlir"); }

static bool isLLVM(StringRef text) { return text.starts_with("; ModuleID"); }

bool stretto::tools::isIR(StringRef text) {
  while (text.ltrim().starts_with("//"))
    text = text.split('\n').second;
  text = text.ltrim();
  bool isAlias = text.starts_with("#") && text.size() > 1 && llvm::isAlpha(text[1]); // of an attribute
  return isLLVM(text) || isAlias || text.starts_with("module") || text.starts_with("builtin.module") ||
         text.starts_with("\"builtin.module\"");
}

std::string stretto::tools::describeIR(StringRef path, StringRef text) {
  if (isLLVM(text))
    return llvm::formatv("'{0}' is LLVM IR, which cannot be continued: print an earlier stage", path);
  return llvm::formatv("'{0}' must be a spec, but is IR: to go on from it, give it a name that ends in .mlir", path);
}

namespace {
/// An option, and the phase that it acts in; none: while a spec is read.
struct StageOption {
  StringRef name;
  std::optional<codegen::Phase> phase;
};
} // namespace

static constexpr StageOption stageOptions[] = {{"--set", std::nullopt},
                                               {"--model", std::nullopt},
                                               {"-I", std::nullopt},
                                               {"--mask-documents", std::nullopt},
                                               {"--nll-square", std::nullopt},
                                               {"--z-loss", std::nullopt},
                                               {"--lr-factors", std::nullopt},
                                               {"--weight-decay-factors", std::nullopt},
                                               {"--dtype", std::nullopt},
                                               {"--max-documents", codegen::Phase::train},
                                               {"--memory-budget", codegen::Phase::train},
                                               {"--decode", codegen::Phase::train},
                                               {"--fuse", codegen::Phase::fused},
                                               {"--kernel-schedule", codegen::Phase::kernels},
                                               {"--bucket-bytes", codegen::Phase::kernels}};

/// Whether a module has what an option asks for, whose phase is over, or may be without it.
static bool isContent(StringRef option, const CommandLine &line, ModuleOp module) {
  if (option != "--decode")
    return false;
  return line.decode.value_or(0) == 0 || llvm::any_of(module.getOps<FunctionOpInterface>(), [](Operation *function) {
           return isEntry(function, seq::EntryKind::decoding);
         });
}

/// The text of a stage that a program can keep, which ends at a NUL: MLIR bytecode is kept as the text of its module.
static std::string textOf(ModuleOp module, std::string text) {
  if (!StringRef(text).contains('\0'))
    return text;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  module->print(os, OpPrintingFlags().enableDebugInfo(/*enable=*/true, /*prettyForm=*/false));
  os << "\n";
  return printed;
}

/// Options that come too late for a stage: an error text, or an empty one.
static std::string checkOptions(const Stage &stage, const CommandLine &line) {
  for (const StageOption &option : stageOptions) {
    if (!llvm::is_contained(line.given, option.name))
      continue;
    if (!option.phase)
      return llvm::formatv("{0} belongs to a spec, but got the IR '{1}': change the spec and print the stage again",
                           option.name, line.spec);
    if (stage.phase >= option.phase && !isContent(option.name, line, *stage.module))
      return llvm::formatv("{0} acts on the way to the stage '{1}', but '{2}' is at '{3}': go on from an earlier one",
                           option.name, codegen::nameOf(*option.phase), line.spec, stage.name());
  }
  if (line.settings.maxDocuments && !documentsOf(*stage.module))
    return llvm::formatv("--max-documents needs --mask-documents, but '{0}' was made without it", line.spec);
  return "";
}

static std::string checkTarget(const Stage &stage, const CommandLine &line) {
  std::optional<codegen::MadeFor> made = codegen::madeFor(*stage.module);
  if (!made || codegen::canGoOnFor(*stage.module, stage.phase, *line.backend))
    return "";
  auto emulated = [](bool emulate) { return emulate ? " --emulate" : ""; };
  return llvm::formatv("'{0}' was made for --target={1}{2}, but got --target={3}{4}", line.spec, made->target,
                       emulated(made->emulate), line.backend->name(), emulated(line.settings.emulate));
}

static std::string checkStage(const Stage &stage, const CommandLine &line) {
  if (std::string error = checkOptions(stage, line); !error.empty())
    return error;
  if (line.emit == "ast" || line.emit == "pytorch")
    return llvm::formatv("--emit={0} needs a spec, but got the IR '{1}'", line.emit, line.spec);
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
  if (StringRef text = (*buffer)->getBuffer(); isLLVM(text)) {
    error = describeIR(line.spec, text);
    return std::nullopt;
  }
  std::string text = (*buffer)->getBuffer().str();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) { printDiagnostic(diagnostic, llvm::errs()); });
  Stage stage{parseSourceFile<ModuleOp>(sources, &context), std::nullopt, {}};
  if (!stage.module)
    return std::nullopt;
  stage.text = textOf(*stage.module, std::move(text));
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

bool stretto::tools::hasPlacesIn(ModuleOp module, StringRef path) {
  return module
      .walk([&](Operation *op) {
        auto place = dyn_cast<FileLineColLoc>(op->getLoc());
        return place && place.getFilename().getValue() == path ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool stretto::tools::isContinued(StringRef stage) {
  constexpr StringRef continued[] = {"seq", "train", "fused", "kernels", "nvvm"};
  return llvm::is_contained(continued, stage);
}

std::string stretto::tools::checkShape(ModuleOp module, const CommandLine &line, const TokenShape &wanted) {
  std::string error;
  auto check = [&](bool given, StringRef name, int64_t number) {
    auto has = module->getAttrOfType<IntegerAttr>(("seq." + name).str());
    if (error.empty() && given && has && has.getInt() != number)
      error =
          llvm::formatv("'{0}' was made for {1} {2}, but got {3}: change the spec's options and print the stage again",
                        line.spec, name, has.getInt(), number);
  };
  bool setsLength = llvm::any_of(line.taskSettings, [](StringRef word) { return word.starts_with("length="); });
  check(line.batch.has_value(), "batch", wanted.batch);
  check(line.length || setsLength, "length", wanted.length);
  check(!line.task.empty() || line.vocabulary, "vocabulary", wanted.vocabulary);
  auto checkTerm = [&](StringRef name, double has, std::optional<double> asked) {
    if (error.empty() && asked && *asked != has)
      error = llvm::formatv("'{0}' was made for a loss with {1} {2}, but the recipe has {3}: change the spec's options "
                            "and print the stage again",
                            line.spec, name, llvm::format("%g", has), llvm::format("%g", *asked));
  };
  const LossTerms loss = lossTermsOf(module);
  checkTerm("nll_square", loss.nllSquare, wanted.nllSquare);
  checkTerm("z_loss", loss.zLoss, wanted.zLoss);
  return error;
}
