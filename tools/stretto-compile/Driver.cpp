//===- Driver.cpp - what stretto-compile does ---------------------------------===//
#include "tools/stretto-compile/Driver.h"

#include "codegen/facts/DescribeProgram.h"
#include "codegen/memory/Passes.h"
#include "codegen/pipelines/Dump.h"
#include "codegen/pipelines/MadeFor.h"
#include "codegen/pipelines/Pipelines.h"
#include "codegen/pipelines/ProgramCheck.h"
#include "codegen/pytorch/EmitPyTorch.h"
#include "codegen/report/Explain.h"
#include "codegen/report/PrintRanks.h"
#include "codegen/report/PrintSummary.h"
#include "codegen/target/EmitObject.h"
#include "frontend/Frontend.h"
#include "ir/Register.h"
#include "ir/seq/ActivationType.h"
#include "ir/seq/BatchLimit.h"
#include "ir/seq/Documents.h"
#include "ir/seq/LossTerms.h"
#include "ir/seq/ModelFacts.h"
#include "passes/support/Refusal.h"
#include "tools/stretto-compile/Bundle.h"
#include "tools/stretto-compile/CompileOptions.h"
#include "tools/stretto-compile/Output.h"
#include "tools/stretto-compile/PrintDiagnostic.h"
#include "tools/stretto-compile/Shape.h"
#include "tools/stretto-compile/Stages.h"
#include "tools/stretto-compile/WeightFactors.h"
#include "tools/support/exit_status.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::tools;

namespace {
/// One run of the compiler.
class Driver {
public:
  explicit Driver(const CommandLine &line) : line(line), settings(line.settings) {}

  int run() {
    if (std::string problem = line.output.empty() ? "" : whyNotWritable(line.output); !problem.empty())
      return fail(problem);
    if (line.command == Command::format)
      return format();
    if (std::string problem = isStageFile(line.spec) ? "" : whyNoSpec(); !problem.empty())
      return fail(problem);
    if (line.emit == "ast" && !isStageFile(line.spec))
      return emitText([&](llvm::raw_ostream &os) { return frontend::dumpAst(frontendOptions({}), os, llvm::errs()); });
    context.disableMultithreading();
    context.printOpOnDiagnostic(false); // it may be a whole module
    DialectRegistry registry;
    registerModelDialects(registry);
    codegen::registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    if (line.command == Command::explain)
      decisions = codegen::collectDecisions(context);
    if (!(isStageFile(line.spec) ? continueStage() : resolveTarget() && readSpec()))
      return 1;
    ScopedDiagnosticHandler handler(&context, printer());
    if (line.emit == "pytorch")
      return emitText([&](llvm::raw_ostream &os) { return succeeded(codegen::emitPyTorch(*module, os)); });
    // Before the work, and not at its end.
    if (makesMachineCode() && failed(line.backend->findTools(settings, report)))
      return 1;
    if (std::string problem = makesProgram() ? whyNotLinkable(*line.backend, settings) : ""; !problem.empty())
      return fail(problem);
    if (!runPhases())
      return 1;
    return finish();
  }

private:
  static int fail(const std::string &text, int status = 1) {
    if (!text.empty())
      llvm::errs() << errorMark << text << "\n";
    return status;
  }

  static int statusOf(const std::string &problem) { return problem.empty() ? 0 : fail(problem); }

  static bool refuse(const std::string &text) {
    fail(text);
    return false;
  }

  /// Why the text cannot be a spec; empty also where it cannot be read.
  std::string whyNoSpec() const {
    std::string problem;
    std::optional<std::string> text = frontend::readSpec(line.spec, problem);
    return text && isIR(*text) ? describeIR(line.spec, *text) : "";
  }

  std::function<void(Diagnostic &)> printer() {
    return [this](Diagnostic &diagnostic) { print(diagnostic); };
  }

  void print(Diagnostic &diagnostic) {
    modelRefused |= passes::isRefusal(diagnostic);
    hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
    printDiagnostic(diagnostic, llvm::errs());
  }

  frontend::FrontendOptions frontendOptions(const TokenShape &shape) const {
    frontend::FrontendOptions options;
    options.path = line.spec;
    options.importFolders = line.importFolders;
    options.importFolders.push_back(modelsFolder());
    options.model = line.model;
    options.overrides = line.overrides;
    options.batch = shape.batch;
    options.length = shape.length;
    options.vocabulary = shape.vocabulary;
    options.elementType = line.dtype == "f64" ? frontend::ElementType::F64 : frontend::ElementType::F32;
    return options;
  }

  static void report(const llvm::Twine &text) { llvm::errs() << "stretto: " << text << "\n"; }

  /// IR is for the machine that it was made for, if no other is named.
  bool resolveTarget() {
    cpu = module && line.cpu == CommandLine().cpu ? codegen::cpuOf(*module) : line.cpu;
    auto resolved = codegen::Target::resolve(cpu, report);
    if (failed(resolved))
      return false;
    target = *resolved;
    settings = line.settings;
    return succeeded(line.backend->resolve(settings, module ? *module : ModuleOp(), report));
  }

  /// Whether the command ends in machine code. (`explain` goes without where its tools are missing.)
  bool makesMachineCode() const { return line.command == Command::compile && !isContinued(line.emit); }

  bool makesProgram() const { return line.command == Command::compile && line.emit.empty(); }

  /// Reads IR instead of a spec.
  bool continueStage() {
    std::string error;
    std::optional<Stage> stage = readStage(context, line, error);
    if (!stage)
      return refuse(error);
    module = std::move(stage->module);
    reached = stage->phase;
    lacksPlaces = reached && hasPlacesIn(*module, line.spec); // a line of the first stage is a place of the spec
    continuedFrom = std::move(stage->text);
    (*module)->removeDiscardableAttr(continuedFromAttr); // the stage before it
    if (!isProgram())
      return false;
    std::optional<TokenShape> shape = resolveShape(line, error);
    if (shape)
      error = checkShape(*module, line, *shape);
    if (!shape || !error.empty())
      return refuse(error);
    taskWrites = shape->writes;
    if (!resolveTarget())
      return false;
    if (!reached && documentsOf(*module) && (settings.maxDocuments || isForAnotherTarget()) &&
        !setDocuments(countOf(*module, batchAttr), countOf(*module, lengthAttr), shape->documents))
      return false;
    describeTarget();
    return true;
  }

  /// Whether IR that is continued can become a program; says why not.
  bool isProgram() {
    ScopedDiagnosticHandler handler(&context, printer());
    return succeeded(codegen::checkProgram(*module, reached));
  }

  /// Whether IR that is continued was made for another target than that of the command line.
  bool isForAnotherTarget() const {
    std::optional<codegen::MadeFor> made = codegen::madeFor(*module);
    return !made || made->target != line.backend->name();
  }

  void describeTarget() { codegen::describeTarget(*module, *line.backend, settings, target); }

  bool readSpec() {
    std::string error;
    std::optional<TokenShape> shape = resolveShape(line, error);
    if (!shape)
      return refuse(error);
    taskWrites = shape->writes;
    if (!fitsBatch(shape->batch, shape->length))
      return refuse(llvm::formatv("a batch must hold at most {0} tokens, but got {1} sequences of {2}", mostBatchTokens,
                                  shape->batch, shape->length));
    std::optional<frontend::FrontendResult> result =
        frontend::compileSpec(context, frontendOptions(*shape), llvm::errs());
    if (!result)
      return false;
    for (const std::string &file : result->files)
      if (llvm::sys::fs::equivalent(file, line.output))
        return refuse(llvm::formatv("-o must not name a file that is read, but got '{0}'", line.output));
    module = std::move(result->module);
    auto text = [&](StringRef value) { return StringAttr::get(&context, value); };
    (*module)->setAttr(specTextAttr, text(result->specText));
    (*module)->setAttr(settingsAttr, text(result->parametersJson));
    if (line.maskDocuments && !setDocuments(shape->batch, shape->length, shape->documents))
      return false;
    if (line.dtype == "bf16")
      (*module)->setAttr(activationTypeAttr, TypeAttr::get(BFloat16Type::get(&context)));
    setLossTerms(*module, {shape->nllSquare.value_or(0), shape->zLoss.value_or(0)});
    describeTarget();
    return addFactors("--lr-factors", FactorKind::learningRate, line.lrFactors) &&
           addFactors("--weight-decay-factors", FactorKind::weightDecay, line.weightDecayFactors);
  }

  bool addFactors(StringRef option, FactorKind kind, StringRef text) {
    std::string error = text.empty() ? "" : setFactors(*module, kind, text);
    return error.empty() || refuse(llvm::formatv("{0}: {1}", option, error));
  }

  /// Packed documents are masked, `perRow` in a sequence at most (0: not known). False if there is no room for one in
  /// each.
  bool setDocuments(int64_t batch, int64_t length, int64_t perRow) {
    if (settings.maxDocuments && settings.maxDocuments < batch)
      return refuse(llvm::formatv("--max-documents must be at least {0}, one for each sequence of a batch, but got {1}",
                                  batch, settings.maxDocuments));
    int64_t room = line.backend->documentRoom(settings, batch, length, perRow);
    (*module)->setAttr(documentsAttr, IntegerAttr::get(IntegerType::get(&context, 64), room));
    return true;
  }

  /// The last phase that the command needs; nothing where the front end's module is enough.
  std::optional<codegen::Phase> lastPhase() const {
    if (line.command == Command::explain && line.makesDeviceCode())
      return codegen::Phase::nvvm;
    if (line.command != Command::compile)
      return codegen::Phase::kernels;
    if (line.emit == "seq")
      return std::nullopt;
    if (line.printsDeviceCode())
      return codegen::Phase::nvvm;
    for (codegen::Phase phase : codegen::allPhases)
      if (line.emit == codegen::nameOf(phase) && phase != codegen::Phase::llvm)
        return phase;
    return codegen::Phase::llvm;
  }

  bool runPhases() {
    std::optional<codegen::Phase> last = lastPhase();
    PassManager passes(&context);
    codegen::PipelineOptions options;
    options.fuse = line.fuse;
    options.memoryBudget = line.memoryBudget;
    options.bucketBytes = line.bucketBytes;
    options.cpu = cpu;
    options.backend = line.backend;
    options.settings = settings;
    options.decode = line.decode.value_or(taskWrites || line.decodesWhereItCan ? usualDecode : 0);
    options.schedules = llvm::join(line.schedules, ";");
    options.continuedFrom = continuedFrom;
    if (auto length = (*module)->getAttrOfType<IntegerAttr>(lengthAttr))
      options.decode = std::min(options.decode, length.getInt());
    if (reached == codegen::Phase::kernels)
      passes.addPass(codegen::createVerifyMemory()); // a plan that somebody may have changed
    for (codegen::Phase phase : codegen::allPhases)
      if (last && phase <= *last && (!reached || phase > *reached))
        codegen::addPhase(passes, phase, options);
    if (line.emit == codegen::nameOf(codegen::Phase::kernels))
      codegen::addResources(passes, options);
    std::string undumped;
    if (!line.dumpFolder.empty())
      codegen::dumpEveryPass(passes, *module, line.dumpFolder, undumped);
    const bool isDone = undumped.empty() && succeeded(passes.run(*module));
    if (!undumped.empty())
      return refuse("cannot write to the folder '" + line.dumpFolder + "': " + undumped);
    if (isDone)
      return true;
    // What may not be given is an error of its own, and so is what is wrong with IR.
    if (hasError && (!line.schedules.empty() || modelRefused || isStageFile(line.spec)))
      return false;
    return refuse(isStageFile(line.spec) ? "the IR cannot be continued from here"
                                         : "the compiler failed on this model; please report it with the spec");
  }

  int finish() {
    if (line.command == Command::summary)
      return emitText([&](llvm::raw_ostream &os) {
        if (line.json)
          os << codegen::summaryJson(*module) << "\n";
        else
          summarize(os);
        return true;
      });
    if (line.command == Command::check)
      return emitText([&](llvm::raw_ostream &os) { return check(os); });
    if (line.command == Command::explain)
      return emitText([&](llvm::raw_ostream &os) { return explain(os); });
    if (line.printsDeviceCode())
      return emitText([&](llvm::raw_ostream &os) {
        return succeeded(line.backend->printDeviceCode(*module, settings, line.emit, os));
      });
    if (line.emit == "llvm" || line.emit == "asm" || line.emit == "object")
      return emitMachine();
    if (!line.emit.empty())
      return emitText([&](llvm::raw_ostream &os) {
        module->print(os, OpPrintingFlags().enableDebugInfo(line.locations, /*prettyForm=*/false));
        os << "\n";
        return true;
      });
    return link();
  }

  void summarize(llvm::raw_ostream &os) {
    codegen::Summary summary = codegen::summarize(*module);
    summary.lacksPlaces = lacksPlaces;
    codegen::printSummary(summary, os);
  }

  bool check(llvm::raw_ostream &os) {
    const codegen::RankEstimate estimate =
        codegen::estimateRanks(codegen::describeProgram(*module), line.rankShape, *line.device);
    if (line.json)
      os << codegen::ranksJson(estimate) << "\n";
    else
      codegen::printRanks(estimate, os);
    return true;
  }

  bool explain(llvm::raw_ostream &os) {
    std::string kernels; // comes last, but remarks of the assembly belong to the lines of the source
    llvm::raw_string_ostream table(kernels);
    if (line.makesDeviceCode() && failed(line.backend->printKernelCosts(*module, settings, table)))
      return false;
    codegen::printDecisions(*decisions, readSources(), codegen::runsOfFunctions(*module), os);
    os << kernels;
    return true;
  }

  /// The texts of the files that decisions are about.
  llvm::StringMap<std::string> readSources() const {
    llvm::StringMap<std::string> sources;
    for (const codegen::Decision &decision : *decisions)
      if (auto [it, isNew] = sources.try_emplace(decision.file); isNew)
        if (auto text = llvm::MemoryBuffer::getFile(decision.file))
          it->second = (*text)->getBuffer().str();
    return sources;
  }

  /// Writes a text to -o, or to the standard output.
  int emitText(llvm::function_ref<bool(llvm::raw_ostream &)> make) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (!make(os))
      return 1;
    return statusOf(line.output.empty() ? printText(text) : writeFile(line.output, text));
  }

  bool makeMachineCode(codegen::OutputKind kind, llvm::SmallVectorImpl<char> &bytes) {
    llvm::raw_svector_ostream os(bytes);
    return succeeded(codegen::emitMachineCode(*module, target, kind, os, checksAddresses()));
  }

  bool checksAddresses() const { return line.sanitize || codegen::runsUnderAddressSanitizer; }

  int emitMachine() {
    codegen::OutputKind kind = line.emit == "llvm"  ? codegen::OutputKind::llvmIR
                               : line.emit == "asm" ? codegen::OutputKind::assembly
                                                    : codegen::OutputKind::object;
    llvm::SmallVector<char> bytes;
    if (!makeMachineCode(kind, bytes))
      return 1;
    return emitText([&](llvm::raw_ostream &os) {
      os << StringRef(bytes.data(), bytes.size());
      return true;
    });
  }

  int link() {
    llvm::SmallVector<char> bytes;
    if (!makeMachineCode(codegen::OutputKind::object, bytes))
      return 1;
    std::string problem;
    const ProgramLibraries libraries = findLibraries(*line.backend, settings, problem);
    if (!problem.empty())
      return fail(problem);
    PendingFile object(line.output + ".o"), program(line.output);
    problem = object.write(StringRef(bytes.data(), bytes.size()));
    if (!problem.empty())
      return fail(problem, unwrittenStatus);
    StringRef folder = line.bundle ? "$ORIGIN/lib" : llvm::sys::path::parent_path(libraries.linked.front());
    problem = linkProgram(object.temporary(), program.temporary(), libraries, folder, checksAddresses());
    if (!problem.empty()) {
      // Linkers tell of a full disk in many ways; some die of it.
      constexpr size_t besideObject = 64 << 10; // what a linker adds
      const std::string noRoom = program.write(std::string(bytes.size() + besideObject, '\0'));
      return noRoom.empty() ? fail(problem) : fail(noRoom, unwrittenStatus);
    }
    if (line.bundle)
      problem = bundle(libraries);
    if (!problem.empty())
      return fail(problem);
    problem = program.keep();
    return problem.empty() ? 0 : fail(problem, unwrittenStatus);
  }

  std::string bundle(const ProgramLibraries &libraries) {
    SmallString<128> folder(llvm::sys::path::parent_path(line.output));
    llvm::sys::path::append(folder, "lib");
    std::string problem;
    const Bundle made = copyLibraries(libraries, line.backend->librariesByName(settings), folder, problem);
    if (problem.empty())
      report(llvm::formatv("'{0}' needs the {1} libraries in '{2}' beside it ({3} MiB)", line.output, made.files,
                           folder, made.bytes >> 20));
    return problem;
  }

  int format() {
    std::string problem;
    std::optional<std::string> text = frontend::readSpec(line.spec, problem);
    if (!text)
      return fail(llvm::formatv("cannot read '{0}': {1}", line.spec, problem));
    if (isIR(*text))
      return fail(llvm::formatv("'{0}' must be a spec, but is IR", line.spec));
    std::optional<std::string> formatted = frontend::formatSource(line.spec, *text, llvm::errs());
    if (!formatted)
      return 1;
    if (line.inPlace)
      return *formatted == *text ? 0 : statusOf(writeFile(line.spec, *formatted));
    return emitText([&](llvm::raw_ostream &os) {
      os << *formatted;
      return true;
    });
  }

  const CommandLine &line;
  MLIRContext context;
  std::string cpu; // as LLVM names it, or native
  codegen::Target target;
  codegen::BackendSettings settings; // those of the line, and what they leave open
  bool taskWrites = false;           // the task is judged by what models write
  bool modelRefused = false;         // a pass said what the model cannot do
  bool hasError = false;             // one was printed
  OwningOpRef<ModuleOp> module;
  std::string continuedFrom;             // the text of that IR, which somebody may have edited: its spec does not tell
  std::optional<codegen::Phase> reached; // by the module that was read, where it was IR
  bool lacksPlaces = false;              // that IR does not say where in the spec its operations are
  std::shared_ptr<std::vector<codegen::Decision>> decisions;
};
} // namespace

int stretto::tools::runCommand(const CommandLine &line) { return Driver(line).run(); }
