// From the text of a spec to its `seq` module.
#include "frontend/Frontend.h"

#include "frontend/diagnostics/Characters.h"
#include "frontend/format/Format.h"
#include "frontend/lowering/BuildModule.h"
#include "frontend/parse/Parser.h"
#include "frontend/sema/Sema.h"
#include "ir/Register.h"

#include "mlir/IR/Verifier.h"

#include "llvm/Support/JSON.h"

#include <limits>

using namespace stretto;
using namespace stretto::frontend;

/// The main text; prints an error if it cannot be read.
static std::optional<std::string> mainText(const FrontendOptions &options, llvm::raw_ostream &errors) {
  if (options.text)
    return options.text;
  std::string problem;
  std::optional<std::string> text = readSource(*llvm::vfs::getRealFileSystem(), options.path, problem);
  if (!text)
    errors << "error: cannot read '" << printable(options.path) << "': " << problem << '\n';
  return text;
}

static ElaborationOptions elaborationOptions(const FrontendOptions &options) {
  ElaborationOptions elaboration;
  elaboration.model = options.model;
  for (const auto &[name, value] : options.overrides)
    elaboration.overrides.push_back({name, value});
  elaboration.batch = options.batch;
  elaboration.length = options.length;
  elaboration.vocabulary = options.vocabulary;
  if (options.elementType == ElementType::F64) {
    elaboration.smallest = std::numeric_limits<double>::denorm_min();
    elaboration.largest = std::numeric_limits<double>::max();
  }
  return elaboration;
}

static std::string parametersJson(const Program &program) {
  llvm::json::Array list;
  for (const ResolvedParameter &parameter : program.parameters)
    list.push_back(llvm::json::Object{
        {"name", parameter.name}, {"type", parameter.type}, {"value", parameter.value}, {"origin", parameter.origin}});
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(list));
  return text;
}

static void loadModelDialects(mlir::MLIRContext &context) {
  mlir::DialectRegistry registry;
  registerModelDialects(registry);
  context.appendDialectRegistry(registry);
  for (llvm::StringRef name : registry.getDialectNames())
    context.getOrLoadDialect(name);
}

static std::optional<FrontendResult> lower(mlir::MLIRContext &context, const Program &program,
                                           const SourceFiles &sources, ElementType elementType) {
  loadModelDialects(context);
  mlir::Type real = elementType == ElementType::F64 ? mlir::Type(mlir::Float64Type::get(&context))
                                                    : mlir::Type(mlir::Float32Type::get(&context));
  FrontendResult result;
  result.module = buildModule(context, program, sources, real);
  if (mlir::failed(mlir::verify(*result.module)))
    return std::nullopt;
  result.parametersJson = parametersJson(program);
  return result;
}

std::optional<FrontendResult> stretto::frontend::compileSpec(mlir::MLIRContext &context, const FrontendOptions &options,
                                                             llvm::raw_ostream &errors) {
  std::optional<std::string> text = mainText(options, errors);
  if (!text)
    return std::nullopt;
  SourceFiles sources;
  Diagnostics diagnostics(sources);
  auto files = llvm::vfs::getRealFileSystem();
  LoadedProgram loaded = load(options.path, *text, options.importFolders, *files, sources, diagnostics);
  std::optional<Program> program;
  if (!diagnostics.hasErrors())
    program = elaborate(loaded, elaborationOptions(options), sources, diagnostics);
  diagnostics.print(errors);
  if (!program)
    return std::nullopt;
  std::optional<FrontendResult> result = lower(context, *program, sources, options.elementType);
  if (!result)
    return std::nullopt;
  result->specText = inlinedText(loaded, sources);
  for (const auto &file : loaded.files)
    result->files.push_back(file->path);
  return result;
}

std::optional<std::string> stretto::frontend::readSpec(llvm::StringRef path, std::string &problem) {
  return readSource(*llvm::vfs::getRealFileSystem(), path, problem);
}

void stretto::frontend::printPlace(llvm::StringRef path, unsigned line, unsigned column, llvm::raw_ostream &os) {
  std::string problem;
  constexpr uint64_t most = std::numeric_limits<uint32_t>::max(); // IR may be long
  std::optional<std::string> text = readSource(*llvm::vfs::getRealFileSystem(), path, problem, most);
  if (!text)
    return;
  SourceFiles sources;
  const uint32_t file = sources.add(path, *text);
  if (std::optional<uint32_t> offset = sources.offset(file, {line, column}))
    Diagnostics(sources).printLine(os, {file, *offset, *offset});
}

std::optional<std::string> stretto::frontend::formatSource(llvm::StringRef name, llvm::StringRef text,
                                                           llvm::raw_ostream &errors) {
  SourceFiles sources;
  Diagnostics diagnostics(sources);
  std::optional<std::string> formatted = formatFile(sources, sources.add(name, text), diagnostics);
  diagnostics.print(errors);
  return formatted;
}

bool stretto::frontend::dumpAst(const FrontendOptions &options, llvm::raw_ostream &os, llvm::raw_ostream &errors) {
  std::optional<std::string> text = mainText(options, errors);
  if (!text)
    return false;
  SourceFiles sources;
  Diagnostics diagnostics(sources);
  SourceTree tree = parseFile(sources, sources.add(options.path, *text), diagnostics);
  diagnostics.print(errors);
  if (diagnostics.hasErrors())
    return false;
  dumpTree(tree, os);
  return true;
}
