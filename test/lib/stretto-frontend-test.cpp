// Prints what the front end makes of a file: the module, the syntax tree, the formatted text or the
// resolved parameters; or what it knows without a file. For lit tests of the language.
#include "frontend/Frontend.h"
#include "frontend/sema/builtins/Builtin.h"
#include "tools/support/extensions.h"

#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace stretto;
using namespace stretto::tools;
using namespace stretto::frontend;
namespace cl = llvm::cl;

static cl::opt<std::string> input(cl::Positional, cl::desc("file"));
static cl::opt<std::string> emit("emit", cl::desc("seq, ast, fmt, parameters, spec or builtins"), cl::init("seq"));
static cl::list<std::string> set("set", cl::desc("name=value"));
static cl::list<std::string> folders("I", cl::desc("folder of imports"), cl::Prefix);
static cl::opt<std::string> model("model", cl::desc("which model of the file"));
static cl::opt<int64_t> batch("batch", cl::init(2)), length("length", cl::init(8)),
    vocabulary("vocabulary", cl::init(0));
static cl::opt<bool> f64("f64"), locations("locations");

static int format() {
  auto buffer = llvm::MemoryBuffer::getFile(input);
  if (!buffer)
    return 1;
  std::optional<std::string> text = formatSource(input, (*buffer)->getBuffer(), llvm::errs());
  if (text)
    llvm::outs() << *text;
  return text ? 0 : 1;
}

/// A line for each: `canon x... kernel? activation?=none|silu`.
static void printBuiltins() {
  for (llvm::StringRef name : builtinNames()) {
    const Builtin &builtin = *findBuiltin(name);
    llvm::outs() << name;
    for (const BuiltinParameter &parameter : builtin.parameters) {
      bool isFirst = &parameter == &builtin.parameters.front();
      llvm::StringRef members = parameter.kind == ArgumentKind::Bool ? "false true" : parameter.members;
      llvm::outs() << ' ' << parameter.name << (isFirst && builtin.isVariadic ? "..." : "")
                   << (parameter.isRequired ? "" : "?") << (members.empty() ? "" : "=")
                   << llvm::join(llvm::split(members, ' '), "|");
    }
    llvm::outs() << '\n';
  }
}

int main(int argc, char **argv) {
  addExtensions();
  cl::ParseCommandLineOptions(argc, argv);
  if (emit == "builtins") {
    printBuiltins();
    return 0;
  }
  FrontendOptions options;
  options.path = input;
  options.model = model;
  options.importFolders.assign(folders.begin(), folders.end());
  options.batch = batch;
  options.length = length;
  options.vocabulary = vocabulary;
  options.elementType = f64 ? ElementType::F64 : ElementType::F32;
  for (llvm::StringRef each : set)
    options.overrides.push_back({each.split('=').first.str(), each.split('=').second.str()});
  if (emit == "fmt")
    return format();
  if (emit == "ast")
    return dumpAst(options, llvm::outs(), llvm::errs()) ? 0 : 1;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  std::optional<FrontendResult> result = compileSpec(context, options, llvm::errs());
  if (!result)
    return 1;
  if (emit == "parameters")
    llvm::outs() << result->parametersJson << '\n';
  else if (emit == "spec")
    llvm::outs() << result->specText;
  else if (locations)
    result->module->print(llvm::outs(), mlir::OpPrintingFlags().enableDebugInfo().useLocalScope());
  else
    result->module->print(llvm::outs());
  return 0;
}
