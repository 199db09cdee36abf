//===- Explain.cpp - the compiler's decisions beside the source -----------===//
#include "codegen/report/Explain.h"

#include "codegen/facts/Locations.h"
#include "codegen/memory/Entries.h"
#include "codegen/memory/Timeline.h"
#include "ir/seq/Purpose.h"
#include "ir/seq/SourceNames.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
Decision::Kind kindOf(const remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return Decision::passed;
  case llvm::remarks::Type::Missed:
    return Decision::missed;
  case llvm::remarks::Type::Failure:
    return Decision::failed;
  default:
    return Decision::analysis;
  }
}

class Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::shared_ptr<std::vector<Decision>> list) : list(std::move(list)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    Decision decision{kindOf(remark),
                      "",
                      remark.getCategoryName().str(),
                      remark.getRemarkName().str(),
                      remark.getFunction().str(),
                      "",
                      "",
                      "",
                      operationName(remark.getLocation()),
                      0,
                      0,
                      {}};
    if (auto locations = listLocations(remark.getLocation()); !locations.empty()) {
      decision.file = locations[0].file;
      decision.line = locations[0].line;
      decision.column = locations[0].column;
    }
    for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
      if (arg.key == "Remark")
        decision.text += arg.val;
      else if (arg.key == "Reason")
        decision.reason = arg.val;
      else if (arg.key == "Suggestion")
        decision.suggestion = arg.val;
      else
        decision.numbers.emplace_back(arg.key, arg.val);
    }
    list->push_back(std::move(decision));
  }

private:
  std::shared_ptr<std::vector<Decision>> list;
};

int64_t numberOf(const Decision &decision, StringRef name) {
  for (auto &[key, value] : decision.numbers)
    if (int64_t number; key == name && !StringRef(value).getAsInteger(10, number))
      return number;
  return 0;
}

StringRef textOf(const Decision &decision, StringRef name) {
  for (auto &[key, value] : decision.numbers)
    if (key == name)
      return value;
  return "";
}

StringRef lineOf(StringRef text, unsigned line) {
  for (; line > 1; --line)
    text = text.split('\n').second;
  return text.split('\n').first.trim();
}

std::string withUnit(int64_t bytes) {
  static constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; value >= 1024 && unit < 4; ++unit)
    value /= 1024;
  return llvm::formatv(unit ? "{0:f1} {1}" : "{0:f0} {1}", value, units[unit]);
}

/// One line under a line of the source.
struct Row {
  std::string label, function;
  int64_t times = 1; // that the function runs
  std::string bytes, text;
  int64_t alike = 1; // rows that say the same, of several kernels

  bool saysTheSame(const Row &other) const {
    return label == other.label && function == other.function && bytes == other.bytes && text == other.text;
  }
};

/// Bytes and names of values of one line that share a fate.
struct Values {
  int64_t bytes = 0;
  llvm::SetVector<StringRef> names;
};

class Report {
public:
  Report(const llvm::StringMap<int64_t> &runs, const llvm::StringMap<std::string> &sources,
         ArrayRef<Decision> decisions)
      : runs(runs), sources(sources) {
    for (const Decision &decision : decisions)
      if (decision.name == "FusedEpilogue")
        epilogues[textOf(decision, "Kernel")] = &decision;
    for (const Decision &decision : decisions)
      add(decision);
  }

  void print(llvm::raw_ostream &os) {
    size_t widths[3] = {0, 0, 0};
    for (auto &[place, entry] : lines)
      for (auto &[key, value] : entry.values)
        entry.rows.push_back(
            {key.first, key.second, timesOf(key.second), withUnit(value.bytes), llvm::join(value.names, ", ")});
    for (auto &[place, entry] : lines)
      for (const Row &row : entry.rows) {
        widths[0] = std::max(widths[0], row.label.size());
        widths[1] = std::max(widths[1], where(row).size());
        widths[2] = std::max(widths[2], row.bytes.size());
      }
    for (auto &[place, entry] : lines) {
      os << llvm::formatv("{0}:{1}  {2}\n", place.first, place.second,
                          lineOf(sources.lookup(place.first), place.second));
      for (const Row &row : entry.rows)
        os << "    " << llvm::left_justify(row.label, widths[0]) << "  " << llvm::left_justify(where(row), widths[1])
           << "  " << llvm::right_justify(row.bytes, widths[2]) << "  " << row.text
           << (row.alike > 1 ? llvm::formatv(" ({0} times)", row.alike).str() : "") << "\n";
    }
    printTotals(os);
  }

private:
  struct Entry {
    std::vector<Row> rows;
    std::map<std::pair<std::string, std::string>, Values> values; // by label and function
  };

  /// What says nothing to the reader of a source: pairs with nothing to gain from each other, schedules that follow
  /// from the target, what is told with something else.
  static bool isDetail(const Decision &decision) {
    StringRef name = decision.name;
    return name == "Unrelated" || name == "FusedEpilogue" || name == "SavedBytes" ||
           (decision.category == "schedule" && name != "ScheduleOverride");
  }

  /// Totals of the decisions that were seen: those that are made before a stage are not in its IR.
  void printTotals(llvm::raw_ostream &os) const {
    os << "\n";
    if (moved)
      os << llvm::formatv("row operations of a gradient step move {0}; without fusion {1}\n", withUnit(*moved),
                          withUnit(movedUnfused));
    SmallVector<std::string> memory;
    for (auto [what, bytes] :
         {std::pair("saved for the backward", saved), {"recomputed", recomputed}, {"peak of activations", peak}})
      if (bytes)
        memory.push_back(llvm::formatv("{0}: {1}", what, withUnit(*bytes)));
    if (!memory.empty())
      os << llvm::join(memory, "; ") << "\n";
    else if (!moved)
      os << "everything was decided before this stage; explain the spec, or IR of an earlier stage\n";
  }

  void add(const Decision &decision) {
    StringRef name = decision.name;
    int64_t times = timesOf(decision.function);
    if (times == 0)
      return;
    if (name == "FusedRows")
      addKernel(decision, times);
    else if (name == "NotFused")
      addUnfused(decision, times);
    else if (name == "ChooseSaved")
      addValue(decision, "saved", saved, times);
    else if (name == "Recomputed")
      addValue(decision, "recomputed", recomputed, times);
    else if (name == "Peak")
      peak = std::max(peak.value_or(0), numberOf(decision, "Bytes"));
    else if (name == "ChooseSegments")
      addStates(decision, times);
    else if (!isDetail(decision))
      addOther(decision, times);
  }

  static void addTo(std::optional<int64_t> &total, int64_t bytes) { total = total.value_or(0) + bytes; }

  Entry &entryOf(const Decision &decision) { return lines[{decision.file, decision.line}]; }
  int64_t timesOf(StringRef function) const {
    auto known = runs.find(function);
    return known == runs.end() ? 1 : known->second;
  }
  static std::string where(const Row &row) {
    return row.function + (row.times > 1 ? " x" + std::to_string(row.times) : "");
  }

  /// What a matmul computes does not move to its epilogue.
  void addKernel(const Decision &decision, int64_t times) {
    const Decision *epilogue = epilogues.lookup(textOf(decision, "Kernel"));
    int64_t bytes = numberOf(decision, "BytesMoved"), unfused = bytes + numberOf(decision, "BytesNotMoved");
    if (epilogue)
      bytes -= numberOf(*epilogue, "BytesNotRead");
    addTo(moved, times * bytes);
    movedUnfused += times * unfused;
    StringRef names = textOf(decision, "Names");
    std::string text = names.empty() ? decision.text : names.str();
    bool alone = numberOf(decision, "Operations") == 1 && !epilogue;
    if (!alone)
      text = "instead of " + withUnit(unfused) +
             (epilogue ? ", in the epilogue of " + textOf(*epilogue, "Matmul").str() : "") + ": " + text;
    addEach(decision, {alone ? "alone" : "fused", decision.function, times, withUnit(bytes), text});
  }

  void addUnfused(const Decision &decision, int64_t times) {
    std::string text = textOf(decision, "Pair").str() + ": " + decision.reason;
    if (!decision.suggestion.empty())
      text += "; try " + decision.suggestion;
    addOnce(decision, {"missed", decision.function, times, "", text});
  }

  void addValue(const Decision &decision, StringRef label, std::optional<int64_t> &total, int64_t times) {
    Values &values = entryOf(decision).values[{label.str(), decision.function}];
    values.bytes += numberOf(decision, "Bytes");
    addTo(total, times * numberOf(decision, "Bytes"));
    values.names.insert(decision.operation.empty() ? StringRef("its value") : StringRef(decision.operation));
  }

  /// The states of a mixer are saved, too.
  void addStates(const Decision &decision, int64_t times) {
    bool did = decision.kind == Decision::passed;
    int64_t bytes = numberOf(decision, "Bytes");
    addTo(saved, times * bytes);
    addEach(decision, {did ? "saved" : "missed", decision.function, times, did ? withUnit(bytes) : "",
                       decision.text + (did ? "" : ": " + decision.reason)});
  }

  void addOther(const Decision &decision, int64_t times) {
    bool did = decision.kind == Decision::passed;
    StringRef label = decision.name == "MergedMatmuls"      ? (did ? "merged" : "missed")
                      : decision.name == "ScheduleOverride" ? "schedule"
                      : decision.name == "ExpandMixers"     ? (did ? "spans" : "note")
                      : decision.category == "fusion"       ? (did ? "fused" : "missed")
                      : did                                 ? "done"
                                                            : "note";
    std::string text = decision.text;
    if (!decision.reason.empty())
      text += ": " + decision.reason;
    if (!decision.suggestion.empty())
      text += "; try " + decision.suggestion;
    if (int64_t notMoved = numberOf(decision, "BytesNotMoved"))
      text = withUnit(notMoved) + " do not move: " + text;
    int64_t bytes = numberOf(decision, "Bytes");
    addOnce(decision, {label.str(), decision.function, times, bytes ? withUnit(bytes) : "", text});
  }

  /// Of the kernels of a block that is called several times, each counts.
  void addEach(const Decision &decision, Row row) {
    std::vector<Row> &rows = entryOf(decision).rows;
    auto known = llvm::find_if(rows, [&](const Row &known) { return known.saysTheSame(row); });
    if (known == rows.end())
      rows.push_back(std::move(row));
    else
      ++known->alike;
  }

  /// Passes that run again come to the same decision.
  void addOnce(const Decision &decision, Row row) {
    std::vector<Row> &rows = entryOf(decision).rows;
    if (llvm::none_of(rows, [&](const Row &known) {
          return known.label == row.label && known.function == row.function && known.text == row.text;
        }))
      rows.push_back(std::move(row));
  }

  const llvm::StringMap<int64_t> &runs;
  const llvm::StringMap<std::string> &sources;
  llvm::StringMap<const Decision *> epilogues; // by the kernel that is one
  std::map<std::pair<std::string, unsigned>, Entry> lines;
  std::optional<int64_t> moved, saved, recomputed, peak;
  int64_t movedUnfused = 0;
};
} // namespace

std::shared_ptr<std::vector<Decision>> stretto::codegen::collectDecisions(MLIRContext &context) {
  auto list = std::make_shared<std::vector<Decision>>();
  remark::RemarkCategories everything{std::nullopt, ".*", ".*", ".*", ".*"};
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(list), std::make_unique<remark::RemarkEmittingPolicyAll>(), everything);
  (void)enabled; // fails only where a streamer cannot open its file
  return list;
}

llvm::StringMap<int64_t> stretto::codegen::runsOfFunctions(ModuleOp module) {
  llvm::StringMap<int64_t> runs;
  for (func::FuncOp entry : entryFunctions(module)) {
    Timeline timeline(entry);
    for (func::FuncOp function : timeline.functions()) {
      seq::ScanOp caller = timeline.caller(function);
      bool isForwardAgain = isEntry(entry, seq::EntryKind::evaluation);
      runs[function.getName()] = isForwardAgain ? 0 : caller ? caller.getTrips() : 1;
    }
  }
  return runs;
}

void stretto::codegen::printDecisions(ArrayRef<Decision> decisions, const llvm::StringMap<std::string> &sources,
                                      const llvm::StringMap<int64_t> &runs, llvm::raw_ostream &os) {
  Report(runs, sources, decisions).print(os);
}
