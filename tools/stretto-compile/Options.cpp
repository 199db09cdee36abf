//===- Options.cpp ------------------------------------------------------------===//
#include "tools/stretto-compile/Options.h"

#include "frontend/Diagnostics/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace stretto;
using llvm::StringRef;

namespace {
/// One option: how it is written, what it does with its value (an error text, or empty).
struct Option {
  StringRef name, value, help; // value: how it is shown in the help; empty: a flag
  std::string (*apply)(CommandLine &, StringRef);
};

std::string readNumber(StringRef text, int64_t least, int64_t &result) {
  if (text.getAsInteger(10, result) || result < least)
    return llvm::formatv("must be a whole number of at least {0}, but got '{1}'", least, text);
  return "";
}

std::string readCount(StringRef text, std::optional<int64_t> &result) {
  int64_t number = 0;
  std::string error = readNumber(text, 1, number);
  constexpr int64_t most = int64_t(1) << 31;
  if (error.empty() && number > most)
    return llvm::formatv("must be at most {0}, but got {1}", most, number);
  result = number;
  return error;
}

/// Bytes, with an optional K, M or G (powers of 1024).
std::string readBytes(StringRef text, int64_t &result) {
  int64_t unit = 1;
  for (auto [suffix, factor] : {std::pair("K", int64_t(1) << 10), {"M", int64_t(1) << 20}, {"G", int64_t(1) << 30}})
    if (text.consume_back(suffix))
      unit = factor;
  std::string error = readNumber(text, 0, result);
  result *= unit;
  return error;
}

std::string readWord(StringRef text, llvm::ArrayRef<StringRef> known, std::string &result) {
  result = text.str();
  if (llvm::is_contained(known, text))
    return "";
  std::string list = llvm::join(known, ", ");
  return llvm::formatv("must be one of {0}, but got '{1}'{2}", list, text, didYouMean(text, known));
}

std::string readAssignment(StringRef text, std::pair<std::string, std::string> &result) {
  auto [name, value] = text.split('=');
  if (name.empty() || name.size() == text.size())
    return llvm::formatv("must look like name=value, but got '{0}'", text);
  result = {name.str(), value.str()};
  return "";
}

constexpr StringRef stages[] = {"ast",  "seq", "train", "fused", "kernels", "nvvm",
                                "llvm", "asm", "ptx",   "sass",  "object",  "pytorch"};

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
  return readCount(text, line.*Field);
}

std::string setOverride(CommandLine &line, StringRef text) { return readAssignment(text, line.overrides.emplace_back()); }
std::string setTaskSetting(CommandLine &line, StringRef text) {
  std::pair<std::string, std::string> parts;
  line.taskSettings.push_back(text.str());
  return readAssignment(text, parts);
}
std::string setDtype(CommandLine &line, StringRef text) { return readWord(text, {"f32", "f64", "bf16"}, line.dtype); }
std::string setTarget(CommandLine &line, StringRef text) { return readWord(text, {"cpu", "cuda"}, line.target); }
std::string setFuse(CommandLine &line, StringRef text) { return readWord(text, {"all", "none"}, line.fuse); }
std::string setEmit(CommandLine &line, StringRef text) { return readWord(text, stages, line.emit); }
std::string setDecode(CommandLine &line, StringRef text) { return readNumber(text, 0, line.decode.emplace()); }
std::string setBudget(CommandLine &line, StringRef text) { return readBytes(text, line.memoryBudget); }

constexpr Option options[] = {
    {"--task", "NAME", "batch, length and vocabulary of a task", setText<&CommandLine::task>},
    {"--task-set", "NAME=VALUE", "set a parameter of the task", setTaskSetting},
    {"--preset", "NAME", "parameters of a preset of the task's recipe", setText<&CommandLine::preset>},
    {"--batch", "N", "rows of a batch", setCount<&CommandLine::batch>},
    {"--length", "N", "tokens of a row", setCount<&CommandLine::length>},
    {"--vocab", "N", "token ids are 0 ... N-1", setCount<&CommandLine::vocabulary>},
    {"--model", "NAME", "which model of the file", setText<&CommandLine::model>},
    {"--set", "NAME=VALUE", "override a parameter of the model", setOverride},
    {"-I", "FOLDER", "where imports are looked for, too", addText<&CommandLine::importFolders>},
    {"--mask-documents", "", "keep the documents of a row apart: attention, Canon and shift, positions",
     setFlag<&CommandLine::maskDocuments>},
    {"--max-documents", "N", "cuda: how many documents a batch may hold then; one for 16 tokens of a row if none is named",
     setCount<&CommandLine::maxDocuments>},
    {"--dtype", "TYPE", "f32 or f64; for cuda also bf16: activations and products, weights stay f32", setDtype},
    {"--target", "NAME", "cpu, or cuda: a GPU of NVIDIA's", setTarget},
    {"--cpu", "NAME", "the machine, as LLVM names it; native: this one", setText<&CommandLine::cpu>},
    {"--chip", "NAME", "cuda: the GPU architecture, sm_80 or newer; sm_90a if none is named", setText<&CommandLine::chip>},
    {"--cuda-path", "DIR", "cuda: the folder of the CUDA toolkit, if it is not to be looked for",
     setText<&CommandLine::cudaPath>},
    {"--emulate", "", "cuda: run the GPU's kernels on the CPU, slowly, to check them", setFlag<&CommandLine::emulate>},
    {"--fuse", "WHAT", "all or none: whether row operations share kernels", setFuse},
    {"--memory-budget", "BYTES", "what saved values may take (K, M, G); 0: no limit", setBudget},
    {"--decode", "N", "also make what generates text, with prompts taken N tokens at a time; 0: do not; 64 for tasks judged by it", setDecode},
    {"-o", "FILE", "where the program goes; with --emit: the text or object", setText<&CommandLine::output>},
    {"--emit", "STAGE", "ast, seq, train, fused, kernels (for cuda with their registers), llvm, asm, object, pytorch; for cuda also nvvm, ptx, sass", setEmit},
    {"--dump-ir", "DIR", "leave a file for each pass that changes something", setText<&CommandLine::dumpFolder>},
    {"--locations", "", "with --emit: print the places in the source, too", setFlag<&CommandLine::locations>},
    {"--explain", "", "say what was fused, saved and moved, and why", setFlag<&CommandLine::explain>},
    {"--summary", "", "print parameters, FLOPs, bytes and memory", setFlag<&CommandLine::summary>},
    {"--json", "", "with --summary: as JSON", setFlag<&CommandLine::json>},
    {"--in-place", "", "fmt: write the file instead of printing it", setFlag<&CommandLine::inPlace>},
    {"--help", "", "this text", setFlag<&CommandLine::help>},
    {"--version", "", "the version of Stretto", setFlag<&CommandLine::version>},
};

const Option *findOption(StringRef name) {
  const auto *it = llvm::find_if(options, [&](const Option &option) { return option.name == name; });
  return it == std::end(options) ? nullptr : it;
}

/// Reads the option at `i`; leaves `i` at its last word.
std::string readOption(CommandLine &line, llvm::ArrayRef<std::string> arguments, size_t &i) {
  StringRef word = arguments[i];
  auto [name, value] = word.starts_with("--") ? word.split('=') : std::pair(word, StringRef());
  const Option *option = findOption(name == "-h" ? "--help" : name);
  if (!option) {
    llvm::SmallVector<StringRef> names;
    for (const Option &known : options)
      names.push_back(known.name);
    return llvm::formatv("unknown option '{0}'{1}", name, didYouMean(name, names));
  }
  bool attached = name.size() != word.size();
  if (option->value.empty() && attached)
    return llvm::formatv("{0} takes no value, but got '{1}'", name, value);
  if (!option->value.empty() && !attached) {
    if (++i == arguments.size())
      return llvm::formatv("{0} needs a value ({1})", name, option->value);
    value = arguments[i];
  }
  std::string error = option->apply(line, value);
  return error.empty() ? error : (name + " " + error).str();
}

/// What only means something together with another option; an error text, or empty.
std::string checkTogether(const CommandLine &line) {
  if (line.maxDocuments && !line.maskDocuments)
    return "--max-documents needs --mask-documents";
  bool device = llvm::is_contained({"nvvm", "ptx", "sass"}, line.emit);
  if (line.target == "cuda") {
    bool binary = line.emit == "ptx" || line.emit == "sass";
    return line.emulate && binary ? "--emit=" + line.emit + " prints code for a GPU, but --emulate makes code for the CPU" : "";
  }
  std::string option = !line.chip.empty()       ? "--chip"
                       : !line.cudaPath.empty() ? "--cuda-path"
                       : line.emulate           ? "--emulate"
                       : line.maxDocuments      ? "--max-documents"
                       : line.dtype == "bf16"   ? "--dtype=bf16"
                       : device                 ? "--emit=" + line.emit
                                                : "";
  return option.empty() ? "" : option + " needs --target=cuda, but the target is " + line.target;
}
} // namespace

std::optional<CommandLine> stretto::parseCommandLine(llvm::ArrayRef<std::string> arguments, std::string &error) {
  CommandLine line;
  if (!arguments.empty() && !StringRef(arguments[0]).starts_with("-")) {
    StringRef word = arguments[0];
    line.command = word == "explain"   ? Command::explain
                   : word == "summary" ? Command::summary
                   : word == "fmt"     ? Command::format
                                       : Command::compile;
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
      error = llvm::formatv("one spec at a time, but got '{0}' and '{1}'", line.spec, word);
  }
  if (error.empty() && line.spec.empty() && !line.help && !line.version)
    error = "the spec is missing: name a .stretto file";
  if (error.empty())
    error = checkTogether(line);
  if (line.explain)
    line.command = Command::explain;
  if (line.summary)
    line.command = Command::summary;
  return error.empty() ? std::optional(line) : std::nullopt;
}

std::string stretto::helpText(Command command) {
  StringRef usage = command == Command::explain   ? "explain model.stretto [options]"
                    : command == Command::summary ? "summary model.stretto [options]"
                    : command == Command::format  ? "fmt model.stretto [--in-place]"
                                                  : "compile model.stretto --task NAME -o PROGRAM [options]";
  std::string text = llvm::formatv("usage: stretto {0}\n\n", usage);
  for (const Option &option : options)
    text += llvm::formatv("  {0,-28} {1}\n", (option.name + " " + option.value).str(), option.help).str();
  if (command != Command::format)
    text += "\nInstead of a spec, IR that --emit printed (a file that ends in .mlir) is continued from the stage it is at.\n";
  return text;
}
