//===- Stages.h - IR that was printed, edited and is to be continued -----------===//
#pragma once

#include "codegen/pipelines/Stage.h"
#include "tools/stretto-compile/Options.h"
#include "tools/stretto-compile/Shape.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace stretto::tools {

/// Whether a command line names IR (a file that ends in .mlir) instead of a spec.
bool isStageFile(llvm::StringRef path);

/// Whether what --emit prints is a stage that can be continued.
bool isContinued(llvm::StringRef stage);

/// Whether a text is IR, and no spec.
bool isIR(llvm::StringRef text);

/// What to do with IR that is given in place of a spec.
std::string describeIR(llvm::StringRef path, llvm::StringRef text);

/// A module read from a file, the last phase it has gone through (none: it is as the front end makes it), and the
/// file's text (of bytecode, that of the module).
struct Stage {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<codegen::Phase> phase;
  std::string text;
  std::string name() const { return codegen::stageName(phase).str(); }
};

/// Reads the file of the command line and finds its stage. Reports what is wrong with the IR; fills `error` where the
/// file cannot be read, is no model of ours, or an option asks for what the stage has fixed already.
std::optional<Stage> readStage(mlir::MLIRContext &context, const CommandLine &line, std::string &error);

/// Whether operations of a module lie in the file itself, as they do where its text names no place of theirs.
bool hasPlacesIn(mlir::ModuleOp module, llvm::StringRef path);

/// Checks the batch, length and vocabulary that options ask for against those of the module. Returns an error text, or
/// an empty one.
std::string checkShape(mlir::ModuleOp module, const CommandLine &line, const TokenShape &wanted);

} // namespace stretto::tools
