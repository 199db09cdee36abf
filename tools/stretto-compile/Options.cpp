//===- Options.cpp - the command line of stretto-compile ------------------===//
#include "tools/stretto-compile/Options.h"

#include "codegen/pipelines/Pipelines.h"
#include "codegen/rows/ScheduleOverrides.h"
#include "frontend/diagnostics/Diagnostics.h"
#include "ir/seq/BatchLimit.h"
#include "tools/stretto-compile/Stages.h"
#include "tools/stretto-compile/WeightFactors.h"
#include "tools/support/argument_rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace stretto;
using namespace stretto::tools;
using llvm::StringRef;

namespace {
/// What an option does with its value (an error text, or empty).
struct Action {
  std::string_view name;
  std::string (*apply)(CommandLine &, StringRef);
};

constexpr int64_t mostNumber = std::numeric_limits<int64_t>::max();

/// Whether a text is a whole number of at least so much. Its value, as long as 64 bits hold it; nothing beyond.
bool isWhole(StringRef text, int64_t least, std::optional<int64_t> &result) {
  result.reset();
  if (int64_t number = 0; !text.getAsInteger(10, number)) {
    result = number;
    return number >= least;
  }
  double real = 0; // 1e3 is a whole number, too
  if (text.getAsDouble(real) || !std::isfinite(real) || std::trunc(real) != real || real < static_cast<double>(least))
    return false;
  if (real < 0x1p63)
    result = static_cast<int64_t>(real);
  return true;
}

/// `orElse`: what the option takes besides.
std::string readNumber(StringRef text, int64_t least, int64_t most, int64_t &result, StringRef orElse = "") {
  std::optional<int64_t> number;
  if (!isWhole(text, least, number))
    return llvm::formatv("must be {0}a whole number of at least {1}, but got '{2}'", orElse, least, text);
  if (!number || *number > most)
    return llvm::formatv("must be at most {0}, but got {1}", most, text);
  result = *number;
  return "";
}

/// What is counted in tokens, and all else that fits the same limit.
std::string readCount(StringRef text, int64_t &result) { return readNumber(text, 1, mostBatchTokens, result); }

/// Bytes, with an optional K, M or G (powers of 1024).
std::string readBytes(StringRef given, int64_t &result) {
  StringRef text = given;
  int64_t unit = 1;
  for (auto [suffix, factor] : {std::pair("K", int64_t(1) << 10), {"M", int64_t(1) << 20}, {"G", int64_t(1) << 30}})
    if (text.consume_back(suffix)) {
      unit = factor;
      break;
    }
  std::optional<int64_t> number;
  if (!isWhole(text, 0, number))
    return llvm::formatv("must be a whole number of bytes, or of K, M or G, of at least 0, but got '{0}'", given);
  if (!number || __builtin_mul_overflow(*number, unit, &result))
    return llvm::formatv("must be at most {0} bytes, but got '{1}'", mostNumber, given);
  return "";
}

/// A number in the range that a setting of the program has.
std::string readCoefficient(StringRef text, double &result) {
  constexpr double most = 1e6;
  if (text.getAsDouble(result) || !(result >= 0 && result <= most))
    return llvm::formatv("must be a number in 0..{0:f0}, but got '{1}'", most, text);
  return "";
}

std::string readWord(StringRef text, llvm::ArrayRef<StringRef> known, std::string &result) {
  result = text.str();
  if (llvm::is_contained(known, text))
    return "";
  std::string list = llvm::join(known, ", ");
  return llvm::formatv("must be one of {0}, but got '{1}'{2}", list, text, frontend::didYouMean(text, known));
}

std::string readAssignment(StringRef text, std::pair<std::string, std::string> &result) {
  auto [name, value] = text.split('=');
  if (name.empty() || name.size() == text.size())
    return llvm::formatv("must look like name=value, but got '{0}'", text);
  result = {name.str(), value.str()};
  return "";
}

/// What --emit knows, for all backends.
llvm::SmallVector<StringRef> allStages() {
  llvm::SmallVector<StringRef> stages{"ast", "seq"};
  for (codegen::Phase phase : codegen::allPhases)
    stages.push_back(codegen::nameOf(phase));
  stages.append({"asm", "object", "pytorch"});
  for (const codegen::Backend *backend : codegen::allBackends())
    stages.append(backend->deviceTexts().begin(), backend->deviceTexts().end());
  return stages;
}

llvm::SmallVector<StringRef> allTypes() {
  llvm::SmallSetVector<StringRef, 4> types;
  for (const codegen::Backend *backend : codegen::allBackends())
    types.insert_range(backend->types());
  return types.takeVector();
}

/// The names of the backends that hold to a condition: "cuda", or "a or b".
std::string namesOfBackends(llvm::function_ref<bool(const codegen::Backend &)> holds, StringRef between = " or ") {
  llvm::SmallVector<StringRef> names;
  for (const codegen::Backend *backend : codegen::allBackends())
    if (holds(*backend))
      names.push_back(backend->name());
  return llvm::join(names, between);
}

template <std::string CommandLine::*Field> std::string setText(CommandLine &line, StringRef text) {
  line.*Field = text.str();
  return "";
}
template <bool CommandLine::*Field> std::string setFlag(CommandLine &line, StringRef) {
  line.*Field = true;
  return "";
}
template <std::vector<std::string> CommandLine::*Field> std::string addText(CommandLine &line, StringRef text) {
  (line.*Field).push_back(text.str());
  return "";
}
template <std::optional<int64_t> CommandLine::*Field> std::string setCount(CommandLine &line, StringRef text) {
  return readCount(text, (line.*Field).emplace());
}

template <std::optional<int64_t> codegen::RankRequest::*Field>
std::string setRankCount(CommandLine &line, StringRef text) {
  return readCount(text, (line.rankRequest.*Field).emplace());
}

template <std::optional<double> CommandLine::*Field> std::string setCoefficient(CommandLine &line, StringRef text) {
  return readCoefficient(text, (line.*Field).emplace());
}

template <std::string CommandLine::*Field> std::string setFactorsText(CommandLine &line, StringRef text) {
  std::string error;
  readFactors(text, error);
  line.*Field = text.str();
  return error;
}

std::string setOverride(CommandLine &line, StringRef text) {
  return readAssignment(text, line.overrides.emplace_back());
}
std::string setTaskSetting(CommandLine &line, StringRef text) {
  std::pair<std::string, std::string> parts;
  line.taskSettings.push_back(text.str());
  return readAssignment(text, parts);
}
std::string addSchedule(CommandLine &line, StringRef text) {
  std::string error;
  line.schedules.push_back(text.str());
  codegen::ScheduleRequest::read(text, error);
  return error;
}
std::string setDtype(CommandLine &line, StringRef text) { return readWord(text, allTypes(), line.dtype); }
std::string setTarget(CommandLine &line, StringRef text) {
  std::string name;
  auto names =
      llvm::map_to_vector(codegen::allBackends(), [](const codegen::Backend *backend) { return backend->name(); });
  std::string error = readWord(text, names, name);
  if (text == "gpu") // by its letters nearest to cpu
    error = llvm::formatv("must be one of {0}, but got 'gpu'; did you mean 'cuda'?", llvm::join(names, ", "));
  line.targetGiven = true;
  if (error.empty())
    line.backend = codegen::findBackend(name);
  return error;
}
llvm::SmallVector<StringRef> deviceNames() {
  return llvm::map_to_vector(codegen::allDevices(), [](auto &device) { return StringRef(device.name); });
}
std::string setDevice(CommandLine &line, StringRef text) {
  std::string name;
  std::string error = readWord(text, deviceNames(), name);
  line.device = codegen::findDevice(name);
  return error;
}
std::string setFuse(CommandLine &line, StringRef text) { return readWord(text, codegen::fuseWords, line.fuse); }
std::string setEmit(CommandLine &line, StringRef text) { return readWord(text, allStages(), line.emit); }
std::string setDecode(CommandLine &line, StringRef text) {
  line.decode.reset();
  line.decodesWhereItCan = text == StringRef(whereItCan);
  return line.decodesWhereItCan ? "" : readNumber(text, 0, mostNumber, line.decode.emplace(), "auto or ");
}
template <int64_t CommandLine::*Field> std::string setBytes(CommandLine &line, StringRef text) {
  return readBytes(text, line.*Field);
}

constexpr Action actions[] = {
    {"--task", setText<&CommandLine::task>},
    {"--task-set", setTaskSetting},
    {"--preset", setText<&CommandLine::preset>},
    {"--batch", setCount<&CommandLine::batch>},
    {"--length", setCount<&CommandLine::length>},
    {"--vocab", setCount<&CommandLine::vocabulary>},
    {"--model", setText<&CommandLine::model>},
    {"--set", setOverride},
    {"-I", addText<&CommandLine::importFolders>},
    {"--mask-documents", setFlag<&CommandLine::maskDocuments>},
    {"--nll-square", setCoefficient<&CommandLine::nllSquare>},
    {"--z-loss", setCoefficient<&CommandLine::zLoss>},
    {"--lr-factors", setFactorsText<&CommandLine::lrFactors>},
    {"--weight-decay-factors", setFactorsText<&CommandLine::weightDecayFactors>},
    {"--dtype", setDtype},
    {"--target", setTarget},
    {"--cpu", setText<&CommandLine::cpu>},
    {"--fuse", setFuse},
    {"--kernel-schedule", addSchedule},
    {"--memory-budget", setBytes<&CommandLine::memoryBudget>},
    {"--bucket-bytes", setBytes<&CommandLine::bucketBytes>},
    {"--decode", setDecode},
    {"--sanitize", setFlag<&CommandLine::sanitize>},
    {"-o", setText<&CommandLine::output>},
    {"--bundle", setFlag<&CommandLine::bundle>},
    {"--emit", setEmit},
    {"--dump-ir", setText<&CommandLine::dumpFolder>},
    {"--locations", setFlag<&CommandLine::locations>},
    {"--explain", setFlag<&CommandLine::explain>},
    {"--summary", setFlag<&CommandLine::summary>},
    {"--ranks", setRankCount<&codegen::RankRequest::ranks>},
    {"--hosts", setRankCount<&codegen::RankRequest::hosts>},
    {"--virtual-ranks", setRankCount<&codegen::RankRequest::virtualRanks>},
    {"--accumulate", setRankCount<&codegen::RankRequest::accumulate>},
    {"--device", setDevice},
    {"--json", setFlag<&CommandLine::json>},
    {"--in-place", setFlag<&CommandLine::inPlace>},
    {"--help", setFlag<&CommandLine::help>},
    {"--version", setFlag<&CommandLine::version>},
};

constexpr bool haveActions() {
  for (const CompileOption &option : compileOptions) {
    bool found = false;
    for (const Action &action : actions)
      found |= action.name == option.name;
    if (!found)
      return false;
  }
  return std::size(actions) == std::size(compileOptions);
}
static_assert(haveActions(), "each option of the compiler does something");

const CompileOption *findOption(StringRef name) {
  const auto *it =
      llvm::find_if(compileOptions, [&](const CompileOption &option) { return StringRef(option.name) == name; });
  return it == std::end(compileOptions) ? nullptr : it;
}

std::string applyOption(CommandLine &line, const CompileOption &option, StringRef value) {
  return llvm::find_if(actions, [&](const Action &action) { return action.name == option.name; })->apply(line, value);
}

const codegen::BackendOption *findBackendOption(StringRef name) {
  const auto *it = llvm::find_if(codegen::backendOptions,
                                 [&](const codegen::BackendOption &option) { return StringRef(option.name) == name; });
  return it == std::end(codegen::backendOptions) ? nullptr : it;
}

std::string applyBackendOption(CommandLine &line, const codegen::BackendOption &option, StringRef value) {
  if (auto *text = std::get_if<std::string codegen::BackendSettings::*>(&option.field))
    line.settings.*(*text) = value.str();
  else if (auto *flag = std::get_if<bool codegen::BackendSettings::*>(&option.field))
    line.settings.*(*flag) = true;
  else
    return readCount(value, line.settings.*std::get<int64_t codegen::BackendSettings::*>(option.field));
  return "";
}

std::string refuseOption(StringRef name) {
  llvm::SmallVector<StringRef> names;
  for (const CompileOption &known : compileOptions)
    names.push_back(known.name);
  for (const codegen::BackendOption &known : codegen::backendOptions)
    names.push_back(known.name);
  return llvm::formatv("unknown option '{0}'{1}", name, frontend::didYouMean(name, names));
}

/// Reads the option at `i`; leaves `i` at its last word.
std::string readOption(CommandLine &line, llvm::ArrayRef<std::string> arguments, size_t &i) {
  StringRef word = arguments[i];
  auto [name, value] = word.starts_with("--") ? word.split('=') : std::pair(word, StringRef());
  const CompileOption *option = findOption(name == "-h" ? "--help" : name);
  const codegen::BackendOption *ofBackend = findBackendOption(name);
  if (!option && !ofBackend)
    return refuseOption(name);
  const bool isAgain = llvm::is_contained(line.given, name);
  line.given.push_back(option ? option->name : ofBackend->name);
  StringRef shown = option ? option->value : ofBackend->value;
  bool attached = name.size() != word.size();
  if (shown.empty() && attached)
    return llvm::formatv("{0} takes no value, but got '{1}'", name, value);
  if (!shown.empty() && !attached) {
    if (++i == arguments.size())
      return llvm::formatv("{0} needs a value ({1})", name, shown);
    value = arguments[i];
  }
  if (value.empty() && !namedBy(shown).empty())
    return noName(name, shown);
  if (isAgain && option && option->isGivenOnce())
    return givenTwice(name, value);
  std::string error = option ? applyOption(line, *option, value) : applyBackendOption(line, *ofBackend, value);
  return error.empty() ? error : (name + " " + error).str();
}

/// An option, or a value of one, that the target does not know, and the backends that do; nothing where all is known.
std::optional<std::pair<std::string, std::string>> strangeToTarget(const CommandLine &line) {
  for (StringRef name : line.given)
    if (findBackendOption(name) && !llvm::is_contained(line.backend->options(), name))
      return std::pair(name.str(),
                       namesOfBackends([&](auto &other) { return llvm::is_contained(other.options(), name); }));
  if (!llvm::is_contained(line.backend->types(), line.dtype))
    return std::pair("--dtype=" + line.dtype,
                     namesOfBackends([&](auto &other) { return llvm::is_contained(other.types(), line.dtype); }));
  auto prints = [&](const codegen::Backend &backend) {
    return line.emit == codegen::nameOf(codegen::Phase::nvvm) ? backend.hasDeviceCode()
                                                              : llvm::is_contained(backend.deviceTexts(), line.emit);
  };
  bool ofDevice = !namesOfBackends(prints).empty();
  return ofDevice && !prints(*line.backend) ? std::optional(std::pair("--emit=" + line.emit, namesOfBackends(prints)))
                                            : std::nullopt;
}

constexpr std::pair<Command, StringRef> namesOfCommands[] = {{Command::compile, "compile"},
                                                             {Command::explain, "explain"},
                                                             {Command::summary, "summary"},
                                                             {Command::check, "check"},
                                                             {Command::format, "fmt"}};

/// "compile", or "summary or check".
std::string namesOf(Command commands) {
  llvm::SmallVector<StringRef> names;
  for (auto [command, name] : namesOfCommands)
    if (holds(commands, command))
      names.push_back(name);
  return llvm::join(names, " or ");
}

/// Options of other commands; an error text, or empty.
std::string checkCommand(const CommandLine &line) {
  for (StringRef name : line.given) {
    const CompileOption *option = findOption(name);
    Command commands = option ? option->commands : ofModels;
    if (!holds(commands, line.command))
      return llvm::formatv("{0} needs the command {1}, but got {2}", name, namesOf(commands), namesOf(line.command));
  }
  return "";
}

/// Where the result goes; an error text, or empty.
std::string checkOutput(const CommandLine &line) {
  if (line.inPlace && !line.output.empty())
    return "--in-place writes the spec itself, but got -o " + line.output;
  if (line.output.empty() && line.command == Command::compile && line.emit.empty())
    return "name the program with -o, or the stage to print with --emit";
  if (line.output.empty() && line.emit == "object")
    return "--emit=object needs -o";
  bool isEdit = line.command == Command::format || (isStageFile(line.spec) && isContinued(line.emit));
  if (!isEdit && llvm::sys::fs::equivalent(line.output, line.spec))
    return llvm::formatv("-o must not name a file that is read, but got '{0}'", line.output);
  return "";
}

/// Makes of what `check` is asked what it is about: the target is that of the device. An error text, or empty.
std::string resolveCheck(CommandLine &line) {
  if (line.command != Command::check)
    return "";
  if (!line.device)
    return "check needs --device; it may be " + llvm::join(deviceNames(), ", ");
  if (line.targetGiven && line.backend->name() != line.device->target)
    return llvm::formatv("--device={0} needs --target={1}, but the target is {2}", line.device->name,
                         line.device->target, line.backend->name());
  line.backend = codegen::findBackend(line.device->target);
  std::string error;
  if (auto shape = codegen::resolveRanks(line.rankRequest, *line.device, error))
    line.rankShape = *shape;
  return error;
}

/// What only means something together with another option; an error text, or empty.
std::string checkTogether(const CommandLine &line) {
  if (line.settings.maxDocuments && !line.maskDocuments && !isStageFile(line.spec))
    return "--max-documents needs --mask-documents";
  if (line.bundle && (line.output.empty() || !line.emit.empty()))
    return line.emit.empty() ? "--bundle needs a program: name it with -o"
                             : "--bundle needs a program, but got --emit=" + line.emit;
  if (auto strange = strangeToTarget(line))
    return llvm::formatv("{0} needs --target={1}, but the target is {2}", strange->first, strange->second,
                         line.backend->name());
  if (line.settings.emulate && line.printsDeviceCode())
    return "--emit=" + line.emit + " prints code for a GPU, but --emulate makes code for the CPU";
  if (line.sanitize && line.makesDeviceCode())
    return "--sanitize needs kernels that run on the CPU, but those of --target=" + line.backend->name().str() +
           " do not; add --emulate";
  return "";
}

/// What is wrong with the options as a whole; an error text, or empty.
std::string checkLine(CommandLine &line) {
  if (line.spec.empty())
    return "the spec is missing: name a .stretto file";
  std::string error = checkCommand(line);
  if (error.empty())
    error = resolveCheck(line);
  if (error.empty())
    error = checkTogether(line);
  return error.empty() ? checkOutput(line) : error;
}

std::string helpLine(StringRef name, StringRef value, StringRef help) {
  return llvm::formatv("  {0,-28} {1}\n", (name + " " + value).str(), help);
}

/// What --target may name, and what each backend takes besides.
std::string helpOfBackends() {
  std::string text = "\nTargets:\n";
  for (const codegen::Backend *backend : codegen::allBackends()) {
    llvm::SmallVector<StringRef> prints;
    if (backend->hasDeviceCode())
      prints.push_back(codegen::nameOf(codegen::Phase::nvvm));
    prints.append(backend->deviceTexts().begin(), backend->deviceTexts().end());
    text += helpLine(backend->name(), "",
                     llvm::formatv("{0}; --dtype {1}{2}{3}", backend->description(), llvm::join(backend->types(), ", "),
                                   prints.empty() ? "" : "; also --emit ", llvm::join(prints, ", "))
                         .str());
    for (const codegen::BackendOption &option : codegen::backendOptions)
      if (llvm::is_contained(backend->options(), StringRef(option.name)))
        text += "  " + helpLine(option.name, option.value, option.help);
  }
  return text;
}

/// What --device may name.
std::string helpOfDevices() {
  std::string text = "\nDevices:\n";
  for (const codegen::Device &device : codegen::allDevices())
    text += helpLine(device.name, "", device.title);
  return text;
}
} // namespace

std::optional<CommandLine> stretto::tools::parseCommandLine(llvm::ArrayRef<std::string> arguments, std::string &error) {
  CommandLine line;
  if (!arguments.empty() && !StringRef(arguments[0]).starts_with("-")) {
    StringRef word = arguments[0];
    for (auto [command, name] : namesOfCommands)
      if (word == name && command != Command::compile)
        line.command = command;
    if (line.command != Command::compile)
      arguments = arguments.drop_front();
  }
  for (size_t i = 0; i < arguments.size() && error.empty(); ++i) {
    StringRef word = arguments[i];
    if (word.starts_with("-") && word != "-")
      error = readOption(line, arguments, i);
    else if (line.spec.empty())
      line.spec = word.str();
    else
      error = surplusArgument("a spec and options", word);
  }
  if (line.output == "-") // the standard output, as elsewhere
    line.output.clear();
  if (line.explain)
    line.command = Command::explain;
  if (line.summary)
    line.command = Command::summary;
  if (error.empty() && !line.help && !line.version)
    error = checkLine(line);
  return error.empty() ? std::optional(line) : std::nullopt;
}

std::string stretto::tools::helpText(Command command) {
  StringRef usage = command == Command::explain   ? "explain model.stretto [options]"
                    : command == Command::summary ? "summary model.stretto [options]"
                    : command == Command::check   ? "check model.stretto --task NAME --ranks N --device NAME [options]"
                    : command == Command::format  ? "fmt model.stretto [--in-place]"
                                                  : "compile model.stretto --task NAME -o PROGRAM [options]";
  std::string text = llvm::formatv("usage: stretto {0}\n\n", usage);
  for (const CompileOption &option : compileOptions)
    if (holds(option.commands, command))
      text += helpLine(option.name, option.value, option.help);
  if (command == Command::check)
    text += helpOfDevices();
  if (command != Command::format)
    text += helpOfBackends() + "\nInstead of a spec, IR that --emit printed (a file that ends in .mlir) is continued "
                               "from the stage it is at.\n";
  return text;
}
