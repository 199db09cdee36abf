//===- Explain.cpp ------------------------------------------------------------===//
#include "codegen/report/Explain.h"

#include "codegen/memory/Entries.h"
#include "codegen/memory/Timeline.h"
#include "codegen/report/Locations.h"

#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <set>

using namespace mlir;
using namespace stretto;

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
    Decision decision{kindOf(remark), "", remark.getCategoryName().str(), remark.getRemarkName().str(),
                      remark.getFunction().str(), "", "", "", 0, 0, {}};
    if (auto places = listPlaces(remark.getLocation()); !places.empty()) {
      decision.file = places[0].file;
      decision.line = places[0].line;
      decision.column = places[0].column;
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

StringRef labelOf(const Decision &decision) {
  switch (decision.kind) {
  case Decision::passed:
    return decision.category == "fusion" ? "fused" : decision.name == "ChooseSaved" ? "saved" : "done";
  case Decision::missed:
    return decision.category == "fusion" ? "not fused" : "not done";
  case Decision::failed:
    return "failed";
  case Decision::analysis:
    return "note";
  }
  llvm_unreachable("unknown kind");
}

/// "BytesNotMoved" as "bytes not moved", "live_vectors" as "live vectors".
std::string words(StringRef name) {
  std::string text;
  for (char c : name) {
    if (llvm::isUpper(c) && !text.empty())
      text += ' ';
    text += c == '_' ? ' ' : llvm::toLower(c);
  }
  return text;
}

std::string describe(const Decision &decision) {
  std::string text = llvm::formatv("    {0}", labelOf(decision));
  if (decision.name == "FusedRows")
    text += " in " + decision.function;
  text += ": " + decision.text;
  std::string numbers;
  for (auto &[name, value] : decision.numbers)
    numbers += (numbers.empty() ? "" : ", ") + words(name) + " " + value;
  if (!numbers.empty())
    text += " (" + numbers + ")";
  if (!decision.reason.empty())
    text += "\n      because " + decision.reason;
  if (!decision.suggestion.empty())
    text += "\n      " + decision.suggestion;
  return text;
}

int64_t numberOf(const Decision &decision, StringRef name) {
  for (auto &[key, value] : decision.numbers)
    if (int64_t number; key == name && !StringRef(value).getAsInteger(10, number))
      return number;
  return 0;
}

StringRef lineOf(StringRef text, unsigned line) {
  for (; line > 1; --line)
    text = text.split('\n').second;
  return text.split('\n').first.trim();
}
} // namespace

std::shared_ptr<std::vector<Decision>> stretto::collectDecisions(MLIRContext &context) {
  auto list = std::make_shared<std::vector<Decision>>();
  remark::RemarkCategories everything{std::nullopt, ".*", ".*", ".*", ".*"};
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(list), std::make_unique<remark::RemarkEmittingPolicyAll>(), everything);
  (void)enabled; // fails only where a streamer cannot open its file
  return list;
}

llvm::StringMap<int64_t> stretto::runsOfFunctions(ModuleOp module) {
  llvm::StringMap<int64_t> runs;
  for (func::FuncOp entry : entryFunctions(module)) {
    Timeline timeline(entry);
    for (func::FuncOp function : timeline.functions()) {
      seq::ScanOp caller = timeline.caller(function);
      runs[function.getName()] = caller ? caller.getTrips() : 1;
    }
  }
  return runs;
}

void stretto::printDecisions(ArrayRef<Decision> decisions, const llvm::StringMap<std::string> &sources,
                             const llvm::StringMap<int64_t> &runs, llvm::raw_ostream &os) {
  std::map<std::pair<std::string, unsigned>, std::vector<std::string>> lines;
  std::set<std::string> seen;
  int64_t moved = 0, notMoved = 0, kept = 0, again = 0;
  for (const Decision &decision : decisions) {
    if (StringRef(decision.function).ends_with("evaluate"))
      continue; // the forward part again, with nothing to save
    std::string text = describe(decision);
    auto known = runs.find(decision.function);
    int64_t times = known == runs.end() ? 1 : known->second;
    moved += times * numberOf(decision, "BytesMoved");
    notMoved += decision.name == "FusedRows" ? times * numberOf(decision, "BytesNotMoved") : 0;
    kept += decision.name == "SavedBytes" ? times * numberOf(decision, "BytesKept") : 0;
    again += decision.name == "SavedBytes" ? times * numberOf(decision, "BytesComputedAgain") : 0;
    std::string key = decision.file + ":" + std::to_string(decision.line) + text;
    if (seen.insert(key).second)
      lines[{decision.file, decision.line}].push_back(text + (times > 1 ? "  x" + std::to_string(times) : ""));
  }
  for (auto &[place, texts] : lines) {
    if (place.second == 0)
      os << "the whole program\n";
    else
      os << llvm::formatv("{0}:{1}  {2}\n", place.first, place.second,
                          lineOf(StringRef(sources.lookup(place.first)), place.second));
    for (const std::string &text : texts)
      os << text << "\n";
  }
  os << llvm::formatv("\nrow operations of a gradient step move {0} bytes; without fusion {1}\n", moved, moved + notMoved)
     << llvm::formatv("kept for the backward: {0} bytes; computed again: {1} bytes\n", kept, again);
}
