//===- Shape.cpp - what a model is compiled for ---------------------------===//
#include "tools/stretto-compile/Shape.h"

#include "frontend/diagnostics/Source.h"
#include "frontend/sema/Loader.h"
#include "tools/stretto-compile/Run.h"
#include "tools/support/shape_question.h"
#include "tools/support/spec_files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace stretto;
using namespace stretto::tools;
using llvm::StringRef;

static_assert(frontend::SourceFiles::maxBytes == maxSpecBytes && frontend::LoadedProgram::maxFiles == maxSpecFiles);

std::string stretto::tools::programFolder() {
  std::string path = llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&programFolder));
  return llvm::sys::path::parent_path(path).str();
}

std::string stretto::tools::modelsFolder() {
  return llvm::sys::path::parent_path(programFolder()).str() + "/" + std::string(modelsPath);
}

/// Runs stretto-data and returns what it prints; nothing where it fails.
static std::optional<std::string> askTask(const CommandLine &line, std::string &error) {
  std::string program = programFolder() + "/stretto-data";
  if (!llvm::sys::fs::can_execute(program)) {
    error = "--task needs stretto-data beside this program, but it is not in '" + programFolder() +
            "'; name --batch, --length and --vocab instead";
    return std::nullopt;
  }
  const std::vector<std::string> question =
      shapeQuestion(line.task, line.preset, line.taskSettings, line.length ? std::to_string(*line.length) : "");
  const RunResult result = runProgram(program, llvm::SmallVector<StringRef>(question.begin(), question.end()));
  error = result.problem;
  return result.status == 0 ? std::optional(result.output) : std::nullopt;
}

/// What the task gives a program.
static std::optional<TokenShape> shapeOfTask(const CommandLine &line, std::string &error) {
  std::optional<std::string> text = askTask(line, error);
  if (!text)
    return std::nullopt;
  auto json = llvm::json::parse(*text);
  llvm::json::Object *object = json ? json->getAsObject() : nullptr;
  if (!object) {
    error = llvm::formatv("stretto-data must print the shape of task '{0}' as JSON, but printed '{1}'", line.task,
                          StringRef(*text).trim());
    llvm::consumeError(json.takeError());
    return std::nullopt;
  }
  return TokenShape{object->getInteger("batch").value_or(0),
                    object->getInteger("length").value_or(0),
                    object->getInteger("vocabulary").value_or(0),
                    object->getInteger("documents").value_or(0),
                    object->getBoolean("writes").value_or(false),
                    object->getNumber("nll_square"),
                    object->getNumber("z_loss")};
}

std::optional<TokenShape> stretto::tools::resolveShape(const CommandLine &line, std::string &error) {
  if (line.task.empty() && !(line.taskSettings.empty() && line.preset.empty())) {
    error = "--task-set and --preset need --task";
    return std::nullopt;
  }
  std::optional<TokenShape> shape = line.task.empty() ? TokenShape{8, 256, 0} : shapeOfTask(line, error);
  if (!shape)
    return std::nullopt;
  if (line.vocabulary && *line.vocabulary < shape->vocabulary) {
    error = llvm::formatv("--vocab must be at least the {0} of task '{1}', but got {2}", shape->vocabulary, line.task,
                          *line.vocabulary);
    return std::nullopt;
  }
  shape->batch = line.batch.value_or(shape->batch);
  shape->length = line.length.value_or(shape->length);
  shape->vocabulary = line.vocabulary.value_or(shape->vocabulary);
  if (line.nllSquare)
    shape->nllSquare = line.nllSquare;
  if (line.zLoss)
    shape->zLoss = line.zLoss;
  return shape;
}
